"""Tables, figures and pages: views of artifacts, in which nothing is computed."""
