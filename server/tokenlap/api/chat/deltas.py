"""What stands in the delta of each kind of chunk."""

from typing import Any

from tokenlap.api.chat.chunks import Kind, OpenedCall
from tokenlap.engine.event import Text
