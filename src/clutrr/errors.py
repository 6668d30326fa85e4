"""Every error a user can cause. The command line prints the message and exits with 2.

ClutrrError
|-- ConfigError     a setting that cannot work (k below 1, an unknown preset, ...)
|-- WorldError      a world that contradicts itself; names the file and the entry
|-- DataError       a file or folder that is not what it should be; names the place
`-- OutputError     a result that cannot be written where it was asked for
"""


class ClutrrError(Exception):
    """Something a user can put right; the message says what and where."""


class ConfigError(ClutrrError):
    """A setting that cannot work."""


class WorldError(ClutrrError):
    """A world that contradicts itself."""


class DataError(ClutrrError):
    """A file or folder that is not what it should be."""


class OutputError(ClutrrError):
    """A result that cannot be written."""
