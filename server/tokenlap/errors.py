"""Everything that can go wrong, as one tree; one handler in app.py turns it into OpenAI's envelope.

    ApiError                     status, message, type, param, code
      + BadRequest         400   the body or a parameter is not as it should be
      + Unauthorized       401   no key, or not one of ours (--api-key)
      + Forbidden          403   for a page of another host, or a built-in model to delete
      + NotFound           404   an unknown path, model or stored object
      + MethodNotAllowed   405
      + TooLarge           413   the body is over the limit
      + UnknownEncoding    415   the body is compressed in a way that is not known here
      + RateLimited        429   too many at once
      + ServerError        500   our own fault
      + Overloaded         503   the queue is full, or the server is stopping

All are raised before the first byte. After it, a stream carries one `data: {"error": {...}}` frame
and ends.
"""

from typing import ClassVar


class ApiError(Exception):
    """An answer in OpenAI's error envelope.

    message: what was wrong and what would be right; param: the path of the parameter; code: never
    the HTTP number.
    """

    status: ClassVar[int] = 500
    type: str = "invalid_request_error"

    def __init__(self, message: str, param: str | None = None, code: str | None = None) -> None:
        """Take the three texts of the envelope; the class gives status and type."""
        super().__init__(message)
        self.message = message
        self.param = param
        self.code = code
        self.headers: dict[str, str] = {}

    def body(self) -> dict[str, dict[str, str | None]]:
        """Return the envelope: all four keys are always there (API reference, ErrorResponse)."""
        return {
            "error": {
                "message": self.message,
                "type": self.type,
                "param": self.param,
                "code": self.code,
            }
        }


class BadRequest(ApiError):
    """The body or a parameter is not as it should be."""

    status = 400


class Unauthorized(ApiError):
    """No key, or not one of ours."""

    status = 401


class Forbidden(ApiError):
    """Not for a page of another host; or a built-in model is to be deleted."""

    status = 403


class NotFound(ApiError):
    """An unknown path, model or stored object."""

    status = 404


class MethodNotAllowed(ApiError):
    """The path exists, with another method."""

    status = 405


class TooLarge(ApiError):
    """The body is over the limit."""

    status = 413


class UnknownEncoding(ApiError):
    """The body is compressed in a way that is not known here."""

    status = 415


class RateLimited(ApiError):
    """Too many requests or tokens; type says of which."""

    status = 429
    type = "requests"


class ServerError(ApiError):
    """Our own fault; the text is the platform's, so that nothing of ours leaks."""

    status = 500
    type = "server_error"

    def __init__(
        self,
        message: str = "The server had an error while processing your request. Sorry about that!",
        param: str | None = None,
        code: str | None = None,
    ) -> None:
        """Take the platform's own sentence unless there is a better one."""
        super().__init__(message, param, code)


class Overloaded(ServerError):
    """The queue is full, or the server is stopping."""

    status = 503
