# Any Debian base with Python 3.11 or later and its venv module works: --build-arg BASE=...
ARG BASE=python:3.13-slim

FROM ${BASE} AS build
WORKDIR /src
RUN python3 -m venv /opt/venv
# The dependencies change less often than the source: they are a layer of their own.
COPY pyproject.toml ./
RUN python3 -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['project']['dependencies'], sep='\n')" > requirements.txt \
    && /opt/venv/bin/pip install --no-cache-dir --requirement requirements.txt
COPY README.md LICENSE ./
COPY server ./server
RUN /opt/venv/bin/pip install --no-cache-dir --no-deps . \
    && /opt/venv/bin/pip uninstall --yes --quiet pip

FROM ${BASE}
LABEL org.opencontainers.image.title="tokenlap" \
      org.opencontainers.image.description="A mock OpenAI backend that really runs the autoregressive loop" \
      org.opencontainers.image.licenses="Apache-2.0"
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1
COPY --from=build /opt/venv /opt/venv
# A number, so that Kubernetes can see that it is not root.
USER 10001:10001
WORKDIR /tmp
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["tokenlap", "health"]
ENTRYPOINT ["tokenlap"]
CMD ["serve", "--host", "0.0.0.0"]
