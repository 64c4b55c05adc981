/** The variables of the environment, in Markdown, for the page about the configuration and for the man page. */
export const environment: readonly (readonly [names: string, about: string])[] = [
  [
    '`HOOKDRIFT_CONFIG`',
    'the configuration file, in place of `hookdrift.yaml` in the working directory; `--config` overrides it, and it overrides `HOOKDRIFT_URL`.',
  ],
  [
    '`HOOKDRIFT_HISTORY`',
    'the history, a file or `postgres://…`; overrides the configuration, and `--history` overrides both.',
  ],
  ['`PGPASSWORD`', 'the password for a history in PostgreSQL whose URL has none.'],
  [
    '`HOOKDRIFT_SEAL_KEY`',
    'the key under which secrets are sealed, 32 characters or more; overrides `seal_key`. Without both, the file `hookdrift.key` next to the history, made on first use; a history in PostgreSQL needs a given one.',
  ],
  ['`HOOKDRIFT_URL`', 'the URL of the gateway, where there is no configuration.'],
  ['`HOOKDRIFT_KEY`, `HOOKDRIFT_KEY_FILE`', 'with `HOOKDRIFT_URL`: the key, or the file that contains it.'],
  [
    '`HOOKDRIFT_PROJECTS`',
    'with `HOOKDRIFT_URL`: `all` (default), or names and ids such as `payments=01M7XVZ2T417WGWM74AAK885VQ,orders=01M7XVZ2TDXMZ1NC2Z1JV3MCDE`; an id alone is its own name.',
  ],
  [
    '`HOOKDRIFT_ORGANISATION`',
    'with `HOOKDRIFT_URL`: the id of the organisation whose projects are listed; `all` needs it.',
  ],
  [
    '`HOOKDRIFT_ALLOW_NETWORK_FILE_SYSTEM`',
    '`1` uses a history on NFS, SMB, FUSE and the like, which is [refused](../how-to/keep-the-history.md) otherwise.',
  ],
  ['`HOOKDRIFT_LOG`', 'the level of the log on stderr: `trace`, `debug`, `info`, `warn` (default), `error`, `silent`.'],
  [
    '`HTTPS_PROXY`, `HTTP_PROXY`',
    'the proxy for https and the one for http: `http://host:port`, `https://host:port` or `socks5://host:port`. The same names in small letters come first. Mail goes through none.',
  ],
  [
    '`NO_PROXY`',
    'what is reached without the proxy; the same name in small letters comes first. Entries are separated by commas or blanks: a name (`example.com` or `.example.com` for the host and all below it, `*.example.com` for what is below it only), an address (`10.4.3.2`, `fd00::5`, `[fd00::5]`), a network (`10.0.0.0/8`, `fd00::/8`), each with or without a port (`example.com:8080`, `[fd00::5]:5005`), or `*` for everything. A network is for URLs with an address: no name is resolved for it. Nothing is excepted unless it is listed, not even `localhost`. Any other entry is a mistake (exit 2) where a proxy is named: a key would go through it.',
  ],
]
