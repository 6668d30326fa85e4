"""The wording of existing data as a world: its templates, attributes and names."""

from clutrr.learn.collect import collect
from clutrr.learn.world import Learnt, learn, write_world

__all__ = ["Learnt", "collect", "learn", "write_world"]
