"""The kernel: scores and judgements of a batch of queries to tie groups and places; arrays only."""
