# hookdrift in a container: `worker` unless told otherwise, `docker run … hookdrift audit` for one run.
# docs/how-to/install.md says how to run it; what is mounted where stands at the end of this file.

# With a digest, every build has the same base: docs/how-to/install.md says how.
ARG BASE=node:24-bookworm-slim

FROM ${BASE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY scripts/node-gyp scripts/node-gyp
# No package's script runs.
RUN npm ci --ignore-scripts
COPY . .
# The image holds what the package holds, and its dependencies as the lock file names them.
# Git is not here: the time of the commit, in seconds, goes into the list of components.
ARG SOURCE_DATE_EPOCH
RUN npm run -s build
# better-sqlite3 brings its own binary: nothing is compiled.
RUN cd package && npm ci --ignore-scripts && rm package-lock.json
RUN mkdir -p out/bin out/lib out/state && mv package out/lib/hookdrift \
  && ln -s ../lib/hookdrift/bin/hookdrift.js out/bin/hookdrift && chmod 755 out/lib/hookdrift/bin/hookdrift.js

# Runs once where and as whom the image runs it, so that Node keeps what it compiled: every start is quicker.
FROM ${BASE} AS compiled
WORKDIR /usr/local/lib/hookdrift
COPY --from=build --chown=10001:10001 /build/out/lib/hookdrift .
RUN chown 10001:10001 dist
USER 10001:10001
RUN node bin/hookdrift.js demo --no-keep >/dev/null && chmod -R a+rX dist/compile-cache

FROM ${BASE}
COPY --from=build /build/out/bin /usr/local/bin
COPY --from=compiled /usr/local/lib/hookdrift /usr/local/lib/hookdrift
# A new volume is given the owner of what it covers.
COPY --from=build --chown=10001:10001 /build/out/state /var/lib/hookdrift
# Temporary files go beside the history, SQLite's too: nothing else has to be writable.
# Young objects get little room: half the memory of a large fleet, for some CPU time.
ENV NODE_OPTIONS=--max-semi-space-size=8
ENV NODE_ENV=production HOOKDRIFT_HISTORY=/var/lib/hookdrift/hookdrift.db
ENV TMPDIR=/var/lib/hookdrift SQLITE_TMPDIR=/var/lib/hookdrift
# A number, so that Kubernetes can tell that it is not root.
USER 10001:10001
# Mount hookdrift.yaml and policy.yaml here, read-only; keys as files under /run/secrets.
WORKDIR /etc/hookdrift
# The history, and hookdrift.key unless HOOKDRIFT_SEAL_KEY is given. A local disk: SQLite cannot rely on the locks of a network file system.
VOLUME /var/lib/hookdrift
EXPOSE 9464
# For a daily schedule; give a denser one its own age.
HEALTHCHECK --interval=5m --timeout=10s --start-period=15m CMD ["hookdrift", "status", "--max-age", "25h"]
# The program is process 1 and takes SIGTERM itself: it seals the run under way within ten seconds, and exits with 143.
ENTRYPOINT ["hookdrift"]
CMD ["worker"]
# What a registry shows of it: the release gives the values.
ARG VERSION="" REVISION="" CREATED="" SOURCE="" URL="" DOCUMENTATION=""
LABEL org.opencontainers.image.title="hookdrift" \
  org.opencontainers.image.description="Audits the configuration of Convoy webhook gateways: drift, policy violations, history" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.created="${CREATED}" \
  org.opencontainers.image.source="${SOURCE}" \
  org.opencontainers.image.url="${URL}" \
  org.opencontainers.image.documentation="${DOCUMENTATION}"
