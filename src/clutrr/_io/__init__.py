"""Input and output: where things lie, how they are read and written, and who does the work.

locations  paths and URLs
url        files at URLs
files      files and folders: read with limits, written whole or not at all
records    JSON, and records with a checksum of themselves
yamls      YAML from untrusted files
manifests  what a folder that we made holds; nothing else is ever replaced
staging    folders that are made aside and then put into place
locks      one process at a time
names      names from outside, which lead to no other folder
limits     upper bounds on what is read
executors  tasks in this process and on processes of this machine
cluster    tasks on a Dask cluster
"""
