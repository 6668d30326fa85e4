"""The explorer: one page on which to look at stories, their scenes and their proofs.

pick          the puzzles of a file or folder, with the answers of runs     Selection
stories       each with its sentences, facts, scene, proof, alternatives   Story
index, page   compact data, and the one file that holds it all             Page
"""

from clutrr.explore.page import Page, make_page
from clutrr.explore.pick import LIMIT, Selection, pick
from clutrr.explore.runs import Run, load_run

__all__ = ["LIMIT", "Page", "Run", "Selection", "load_run", "make_page", "pick"]
