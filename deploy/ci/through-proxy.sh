#!/bin/sh
# Runs a script of Node that sends requests to a URL: through-proxy.sh URL SCRIPT [ARGUMENT]... hookdrift decides by its
# own reading of the environment whether a proxy gets them: Node's takes no network in NO_PROXY, and would give the
# proxy the token of the request. An empty URL: the script sends nothing.
set -eu

url=$1
shift
# Node's own reading, for this script alone. It asks a proxy only with NODE_USE_ENV_PROXY.
unset NODE_USE_ENV_PROXY
if [ -n "$url" ]; then
  variable=$(hookdrift __proxy-for -- "$url") || {
    echo 'hookdrift: nothing is sent: see the line before.' >&2
    exit 0
  }
  case $variable in
  '') ;;
  http_proxy | HTTP_PROXY | https_proxy | HTTPS_PROXY)
    eval "proxy=\$$variable"
    case $proxy in *://*) ;; *) proxy=http://$proxy ;; esac
    export NODE_USE_ENV_PROXY=1 http_proxy="$proxy" https_proxy="$proxy" no_proxy=
    ;;
  esac
fi
exec node "$@"
