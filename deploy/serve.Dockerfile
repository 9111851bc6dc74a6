# Leadline in one container, the page and the API in one process (docs/install.md); for several machines: Dockerfile
FROM python:3.12-slim AS build
WORKDIR /src
COPY . .
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.12-slim
# Pango, by which WeasyPrint sets PDF, and a font for Chinese
# hadolint ignore=DL3008 # Debian keeps one version of each
RUN apt-get update \
    && apt-get install --yes --no-install-recommends fonts-noto-cjk libharfbuzz-subset0 libpango-1.0-0 libpangoft2-1.0-0 \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/leadline
COPY requirements.lock requirements-serve.lock requirements-sandbox.lock ./
# The lock files name every dependency
RUN pip install --no-cache-dir --no-deps --require-hashes -r requirements-serve.lock
# What programs of processing steps may import, apart from the server's own libraries
RUN python -m venv .venv-sandbox && .venv-sandbox/bin/pip install --no-cache-dir --no-deps --require-hashes -r requirements-sandbox.lock
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir --no-deps --no-index /wheels/*.whl \
    && useradd --system --uid 10001 --home-dir /var/lib/leadline --create-home leadline
USER 10001
WORKDIR /var/lib/leadline
ENV LEADLINE_HOME=/var/lib/leadline/home LEADLINE_SANDBOX_PYTHON=/opt/leadline/.venv-sandbox/bin/python
EXPOSE 2024
HEALTHCHECK --start-period=60s CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:2024/ok', timeout=5)"]
CMD ["leadline", "serve", "--host", "0.0.0.0", "--no-open"]
