# The grader in a container: for macOS and Windows, or to keep it apart from everything else.
#
#   docker build -t autograder .
#   docker run --rm -v "$PWD":/course -w /course autograder autograder grade residual-connections
#
# PyPI's torch for Linux brings CUDA along. To take a CPU build, name PyTorch's own index of CPU builds:
#   docker build --build-arg PIP_EXTRA_INDEX_URL=... -t autograder .
FROM python:3.11-slim

ARG PIP_EXTRA_INDEX_URL=""
RUN apt-get update && apt-get install --yes --no-install-recommends libseccomp2 && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/autograder
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY autograder autograder
RUN pip install --no-cache-dir --constraint constraints.txt .
