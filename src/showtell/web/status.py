"""``/health``, ``/ready``, ``/metrics``, and what the library is like."""

from __future__ import annotations

from fastapi import APIRouter, Response

from showtell.web.bodies import HEALTH, LIBRARY, example
from showtell.web.metrics import CONTENT_TYPE
from showtell.web.service import Json, Served

router = APIRouter(tags=["status"])
COUNTED = ("passages", "images", "tables", "videos")


@router.get("/api/v1/library", summary="The library", responses=example(LIBRARY))
def library(service: Served) -> Response:
    """How much it holds, what one may ask it, who writes and where else it can look."""
    facts, chosen, model = service.facts(), service.library.settings, service.library.model
    documents = facts.documents
    counts = {kind: sum(getattr(each, kind) for each in documents) for kind in COUNTED}
    return Json(
        {"name": service.library.store.folder.name, "documents": len(documents)}
        | counts
        | {
            "languages": list(service.library.store.languages()),
            "questions": facts.questions,
            "model": model.name if model else None,
            "sources": ["library", *(["wikipedia"] if chosen.wikipedia_contact else [])],
        }
    )


@router.get("/health", summary="Whether the server runs", responses=example(HEALTH))
async def health() -> Response:
    """Answered at once, whatever else goes on."""
    return Json(HEALTH)


@router.get("/ready", summary="Whether questions can be answered", responses=example({"status": "ready"}))
def ready(service: Served) -> Response:
    """Looks into the library; 503 where it cannot be read."""
    service.library.store.counts()
    return Json({"status": "ready"})


@router.get("/metrics", summary="Counters for Prometheus", response_class=Response)
def metrics(service: Served) -> Response:
    """Requests, answers, and what is under way, of the process that answers this request."""
    documents, passages, media = service.library.store.counts()
    gauges = {"questions": len(service.questions), "documents": documents, "passages": passages, "media": media}
    return Response(service.metrics.text(gauges), media_type=CONTENT_TYPE)
