"""Every error that showtell raises on purpose. Each message says what happened and what to do.

::

    ShowtellError
    ├── SourceError          a document or picture cannot be read; the rest of a batch goes on
    │   ├── UnsupportedError     a kind of file that no reader is there for
    │   └── PictureError         a picture that is broken, too large or not a picture
    ├── FetchError           an address was refused or did not answer
    ├── WikiError            a wiki cannot be asked, or does not answer as wikis do
    ├── LibraryError         the library cannot be used as asked
    │   ├── LibraryLocked        another process writes to it
    │   ├── LibraryDamaged       it cannot be read
    │   ├── LibraryTooNew        a later version of showtell wrote it
    │   └── EncoderMismatch      its vectors were made by another encoder
    ├── ModelError           weights or a model's server are missing, wrong or failing
    │   └── PicturesRefused      a chat model takes no pictures, or not these; without them it can be asked
    ├── MissingExtra         an optional part is not installed; the message names the command
    ├── QuestionsError       a question file cannot be used
    └── SettingsError        a setting is unknown or out of bounds
"""


class ShowtellError(Exception):
    """Root of the tree; its text is one line for the user."""


class SourceError(ShowtellError):
    """A document cannot be read."""


class UnsupportedError(SourceError):
    """No reader for this kind of file."""


class PictureError(SourceError):
    """A picture is broken, too large or not a picture."""


class FetchError(ShowtellError):
    """An address was refused or did not answer; ``status`` is the HTTP status if there was one.

    ``retry_after`` is how many seconds the server asked to wait, if it did.
    """

    def __init__(self, message: str, status: int | None = None, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after


class WikiError(ShowtellError):
    """A wiki cannot be asked, or does not answer as wikis do."""


class LibraryError(ShowtellError):
    """The library cannot be used as asked."""


class LibraryLocked(LibraryError):
    """Another process writes to the library."""


class LibraryDamaged(LibraryError):
    """The library cannot be read."""


class LibraryTooNew(LibraryError):
    """A later version of showtell wrote the library."""


class EncoderMismatch(LibraryError):
    """The library's vectors were made by another encoder."""


class ModelError(ShowtellError):
    """Weights or a model's server are missing, wrong or failing."""


class PicturesRefused(ModelError):
    """A chat model takes no pictures, or not these; without them it can be asked."""


class MissingExtra(ShowtellError):
    """An optional part is not installed."""


class QuestionsError(ShowtellError):
    """A question file cannot be used."""


class SettingsError(ShowtellError):
    """A setting is unknown or out of bounds."""
