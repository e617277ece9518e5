# One image for all processes. The command selects the process.
#
#   docker build -t mandat:0.2.0 .
#   docker run … mandat:0.2.0                                    the API
#   docker run … mandat:0.2.0 dist/apps/worker/src/main.js       the worker
#   docker run … mandat:0.2.0 dist/apps/cli/src/main.js migrate  the migrations
#
# The digest selects the base image; the tag is for readers. docker-library/repo-info lists the digest of the tag
# (repos/node/remote/24.21.0-trixie-slim.md): change both together.
FROM node:24.21.0-trixie-slim@sha256:8ec5d7557396cfe32d21c3f9c13072355ceab22b584578ca4bb28af31120cffe AS base
WORKDIR /app

# Only these files determine the installed packages, so a change of the sources keeps the cached layer. Scripts of packages
# are not run, because the service needs none of them. It needs one package of the repository: encrypted ballots.
FROM base AS manifests
COPY package.json package-lock.json .npmrc ./
COPY packages/ballot/package.json packages/ballot/

FROM manifests AS build
RUN node --eval "require('node:assert').equal(process.version, 'v' + require('./package.json').dependencies.node)"
RUN npm ci --ignore-scripts --workspace packages/ballot --include-workspace-root
COPY tsconfig.json tsconfig.product.json ./
COPY packages/ballot packages/ballot
COPY apps apps
COPY libs libs
COPY migrations migrations
# Source maps are deleted, because the image has no sources. The embedded database is for development.
RUN npm run --silent build:product && find dist -name '*.map' -delete && rm -r dist/.tsbuildinfo dist/libs/embedded-postgres \
  && rm -r packages/ballot/src packages/ballot/tsconfig.json packages/ballot/dist/.tsbuildinfo
# Migrations read the functions of the database from the .sql files of libs, and their own names from their sources. The image has
# no other sources.
RUN find libs -type f ! -name '*.sql' -delete && find libs -type d -empty -delete

# The package node is for a start from a clone: here the base image has Node. The decoder of images is an optional package,
# because each platform has its own. The compiler is another one, which nothing runs.
FROM manifests AS dependencies
RUN npm uninstall --package-lock-only --ignore-scripts --no-workspaces node \
  && npm ci --omit=dev --ignore-scripts --workspace packages/ballot --include-workspace-root && rm -r node_modules/typescript

FROM base
ENV NODE_ENV=production
# The default of 64 MB takes up to 130 MB more of memory, and answers to short requests wait longer beside long lists.
ENV NODE_OPTIONS=--max-semi-space-size=16
# Used in development only, as the mount point of a volume. A new volume takes the owner of this folder.
ENV DATA_DIR=/data
RUN install -d -o 1000 -g 1000 /data
COPY --from=dependencies /app/package.json ./
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/packages/ballot packages/ballot
COPY --from=build /app/libs libs
COPY --from=build /app/migrations migrations
# A number, because Kubernetes cannot check a name for root.
USER 1000:1000
EXPOSE 3000 3001
STOPSIGNAL SIGTERM
ENTRYPOINT ["node"]
CMD ["dist/apps/partner-api/src/main.js"]
