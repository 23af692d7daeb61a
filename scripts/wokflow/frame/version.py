"""The project's version, in a module of its own: what does not import it keeps its key from release to release."""

VERSION = "0.1.0"
