# gattscope for macOS and Windows, which it does not run on itself. It needs the package of `make deb`:
#
#     docker build --tag gattscope .
#     docker run --rm --interactive --tty --volume "$PWD:/captures" gattscope explain btsnoop_hci.log
#
# Scripts/check-bare-root.sh executes these steps: each instruction is one line, or ends its lines with a backslash.
FROM debian:bookworm-slim
COPY .build/dist/gattscope_*.deb /tmp/gattscope.deb
RUN apt-get update -q \
    && apt-get install -y -q /tmp/gattscope.deb \
    && rm -rf /tmp/gattscope.deb /var/lib/apt/lists/*
RUN useradd --uid 1000 --no-create-home --shell /usr/sbin/nologin gattscope
USER gattscope
ENV LC_ALL=C.UTF-8
WORKDIR /captures
ENTRYPOINT ["gattscope"]
