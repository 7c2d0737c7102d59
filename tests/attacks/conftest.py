"""The exercise that is attacked is no test of ours."""

collect_ignore = ["victim"]
