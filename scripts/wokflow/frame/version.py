"""The project's version, in a module of its own, so that only steps that import it change their keys in a release."""

VERSION = "0.1.0"
