"""Every operation that is served: what it does, what it takes, what it answers.

One line for each route of app.ROUTES; a test holds that none is missing.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import BaseModel

from tokenlap.api.chat.request import ChatRequest
from tokenlap.api.completions.request import CompletionRequest
from tokenlap.api.embeddings import EmbeddingRequest
from tokenlap.api.moderations import ModerationRequest
from tokenlap.api.paging import PageQuery
from tokenlap.api.responses.request import ResponseRequest
from tokenlap.api.responses.retrieval import RetrieveQuery
from tokenlap.api.stored import ListQuery, MetadataUpdate
from tokenlap.api.tokenize import DetokenizeRequest, TokenizeChat, TokenizeText


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one path.

    answer: the name of the object in schemas.py; body: the models of the request body, one of which
    it is; events: the name of the object that an event of its stream holds; query: what stands in
    the query; generates: it turns the loop, so the headers for the trace and the latency count;
    makes: the path parameter of other operations that the id in its answer is good for.
    """

    summary: str
    answer: str
    body: tuple[type[BaseModel], ...] = ()
    events: str | None = None
    query: type[BaseModel] | None = None
    generates: bool = False
    makes: str | None = None


OPERATIONS: Mapping[tuple[str, str], Operation] = {
    ("POST", "/v1/chat/completions"): Operation(
        "Answer a conversation",
        "ChatCompletion",
        (ChatRequest,),
        "ChatCompletionChunk",
        generates=True,
        makes="completion_id",
    ),
    ("GET", "/v1/chat/completions"): Operation(
        "List the stored chat completions", "ChatCompletionList", query=ListQuery
    ),
    ("GET", "/v1/chat/completions/{completion_id}"): Operation(
        "Get a stored chat completion", "ChatCompletion"
    ),
    ("POST", "/v1/chat/completions/{completion_id}"): Operation(
        "Replace the metadata of a stored chat completion", "ChatCompletion", (MetadataUpdate,)
    ),
    ("DELETE", "/v1/chat/completions/{completion_id}"): Operation(
        "Delete a stored chat completion", "ChatCompletionDeleted"
    ),
    ("GET", "/v1/chat/completions/{completion_id}/messages"): Operation(
        "List the messages that a stored chat completion answers",
        "ChatCompletionMessageList",
        query=PageQuery,
    ),
    ("POST", "/v1/completions"): Operation(
        "Continue a text", "Completion", (CompletionRequest,), "Completion", generates=True
    ),
    ("POST", "/v1/embeddings"): Operation(
        "Turn texts into vectors", "EmbeddingList", (EmbeddingRequest,)
    ),
    ("POST", "/v1/moderations"): Operation(
        "Flag texts by a list of words", "Moderation", (ModerationRequest,)
    ),
    ("POST", "/v1/responses"): Operation(
        "Create a response",
        "Response",
        (ResponseRequest,),
        "ResponseEvent",
        generates=True,
        makes="id",
    ),
    ("GET", "/v1/responses/{id}"): Operation(
        "Get a stored response, or its stream",
        "Response",
        events="ResponseEvent",
        query=RetrieveQuery,
    ),
    ("DELETE", "/v1/responses/{id}"): Operation("Delete a stored response", "ResponseDeleted"),
    ("POST", "/v1/responses/{id}/cancel"): Operation("Cancel a background response", "Response"),
    ("GET", "/v1/responses/{id}/input_items"): Operation(
        "List what a response was made from", "ResponseItemList", query=PageQuery
    ),
    ("GET", "/v1/models"): Operation("List the models", "ModelList"),
    ("GET", "/v1/models/{model:path}"): Operation("Get a model", "Model"),
    ("DELETE", "/v1/models/{model:path}"): Operation("Delete a model", "ModelDeleted"),
    ("POST", "/tokenize"): Operation(
        "Show a text or a conversation as token ids", "Tokens", (TokenizeText, TokenizeChat)
    ),
    ("POST", "/detokenize"): Operation("Show token ids as text", "Text", (DetokenizeRequest,)),
    ("GET", "/health"): Operation("Tell that the server lives", "Health"),
}
