"""Training and testing models: a loop, its checkpoints, what a model answers.

`config` and `matrix` say what to train and need no torch; everything else does.
"""
