"""showtell: answers from your own documents, in words and with the media that make the point."""

__version__ = "0.1.0"
