# The server in an image. How to run it, and what the lines there mean: docs/CONTAINERS.md
#
#     docker build -t turhal-ai/python-runner-mcp:latest .
#     docker build -t turhal-ai/python-runner-mcp:latest-data --build-arg VARIANT=data .
#
# BASE     Debian 12 or Ubuntu 24.04 or newer, with its own Python or without one: then it gets the distribution's
# VARIANT  plain: the interpreter and its standard library
#          data: numpy, pandas, matplotlib and scipy too, imported before the first call
#
# No more than the classic builder knows, so that it builds with every engine from 20.10 on and asks for no other image.
ARG BASE=python:3.12-slim
ARG VARIANT=plain

# --- the build: on the same base, so that server and image share one C library

FROM ${BASE} AS build
ARG BASE
RUN refuse() { echo "BASE=$BASE $*" >&2; exit 1; }; \
    command -v apt-get >/dev/null || \
        refuse "has no apt-get: take an image made of Debian 12 or Ubuntu 24.04 or newer (Alpine and musl are not supported)"; \
    ! command -v python3 >/dev/null || \
        python3 -c 'import sys; sys.exit(sys.implementation.name != "cpython" or sys.version_info < (3, 9))' || \
        refuse "has a python3 that is no CPython 3.9 or newer: take an image with one, or without any"
RUN apt-get update -q && \
    DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
        gcc libc6-dev libjansson-dev libseccomp-dev libuv1-dev meson ninja-build pkg-config python3-dev
COPY . /source
RUN meson setup /build /source --prefix=/usr/local --libdir=lib && meson install -C /build --strip --destdir /out

# --- what the variants differ in: these stages are settings alone, so the one that is not asked for costs nothing

FROM ${BASE} AS plain

# The distribution's libraries and the distribution's interpreter, whichever base it is: one signed source for all of them,
# mended with the rest of the system. Programs may need what four such libraries map.
FROM ${BASE} AS data
ENV RUNNER_PYTHON=/usr/bin/python3 \
    RUNNER_SITE_PACKAGES=true \
    RUNNER_PRELOAD=numpy,pandas,scipy,matplotlib.pyplot \
    RUNNER_MAX_MEMORY_MB=1024 \
    MPLBACKEND=Agg

# --- the image

FROM ${VARIANT}
ARG BASE
ARG VARIANT
LABEL org.opencontainers.image.title="python-runner-mcp" \
      org.opencontainers.image.description="Lets an AI model run Python: an MCP server over stdio, each call in a sandbox of its own" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.vendor="turhal-ai" \
      org.opencontainers.image.base.name="${BASE}"
RUN set -- libjansson4 libseccomp2 libuv1; \
    command -v python3 >/dev/null || set -- "$@" python3; \
    [ "$VARIANT" != data ] || set -- "$@" libopenblas0-pthread python3 python3-matplotlib python3-numpy python3-pandas python3-scipy; \
    apt-get update -q && \
    DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@" && \
    if command -v c++ >/dev/null; then \
        echo "BASE=$BASE: this distribution's scipy needs a compiler, which has no place here: for VARIANT=data take Debian 13 or newer" >&2; \
        exit 1; \
    fi && \
    rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/apt /var/log/dpkg.log /var/cache/debconf/*-old && \
    useradd --system --uid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin runner
COPY --from=build /out/ /
COPY LICENSE /usr/local/share/doc/python-runner-mcp/
# By number: Kubernetes can tell from it that this is not root
USER 10001:10001
# What was built works with this interpreter. Which layers hold is a matter of where it runs.
RUN RUNNER_SANDBOX=rlimits python-runner-mcp run -c 'import sys; print("Python", sys.version)'
# Five programs in a server of its own, less than a second of one processor
HEALTHCHECK --interval=60s --timeout=20s --start-period=5s --retries=3 CMD ["/usr/local/bin/python-runner-mcp", "doctor"]
ENTRYPOINT ["/usr/local/bin/python-runner-mcp"]
