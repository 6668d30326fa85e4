"""The explorer: one page on which to look at stories, their scenes and their proofs.

pick       the puzzles of a file or folder, with the answers of models    Sample
stories    each with its sentences, facts, scene, proof, alternatives     Story
page       compact data, and the one file that holds it all               make_page
"""
