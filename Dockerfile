# Shisho's server in a container: REST and MCP on port 8765, everything that is kept in the volume /data.
# docs/howto/container.md says how to build it, run it and take a backup; docs/howto/scale.md how to run many on one PostgreSQL.
FROM python:3.13-slim AS build
WORKDIR /source
COPY requirements/server.lock requirements/
RUN python -m venv /opt/shisho && \
    /opt/shisho/bin/pip install --no-cache-dir --require-hashes --no-deps -r requirements/server.lock
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN /opt/shisho/bin/pip install --no-cache-dir --no-deps .

FROM python:3.13-slim
RUN useradd --system --uid 10001 --no-create-home shisho && \
    install -d -m 700 -o shisho -g shisho /data && install -d -m 700 -o shisho -g shisho /blobs
COPY --from=build /opt/shisho /opt/shisho
ENV PATH=/opt/shisho/bin:$PATH PYTHONUTF8=1 SHISHO_HOME=/data
USER shisho
VOLUME /data
EXPOSE 8765
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import urllib.request as web; web.urlopen('http://127.0.0.1:8765/livez', timeout=4)"]
# Beyond its own machine the server wants SHISHO_TOKEN, or it refuses to start.
ENTRYPOINT ["shisho"]
CMD ["serve", "--host", "0.0.0.0"]
