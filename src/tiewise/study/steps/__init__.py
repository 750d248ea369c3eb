"""The steps of a study, one a file: artifacts in, artifacts out.

A step that is repeated writes the same rows.
"""
