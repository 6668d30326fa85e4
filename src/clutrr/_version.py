"""The version of the package, known without its being installed."""

VERSION = "0.3.0"
