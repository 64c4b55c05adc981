import { resolve } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { HistoryOptions } from '../app/locate-history.ts'
import type { Log } from '../app/log.ts'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import type { ServeSettings } from '../config/configuration.ts'
import { isLoopback, type ListenAddress, listenAddress } from '../config/listen-schema.ts'
import { AuditError, exitCodes, messageOf } from '../model/errors.ts'
import type { AccessWatch } from '../pages/access/open-access.ts'
import { addHistoryOptions } from './query-options.ts'

interface ServeOptions extends HistoryOptions {
  readonly listen?: ListenAddress
}

const usualListen = { host: '127.0.0.1', port: 9465 }

export function defineServe(program: Command, execute: Execute): void {
  addHistoryOptions(program.command('serve'))
    .description('Show the history as pages in a browser')
    .addOption(
      new Option(
        '--listen <address>',
        'an address and a port (default: serve.listen of the configuration, or 127.0.0.1:9465)',
      ).argParser(toAddress),
    )
    .action((options: ServeOptions) => execute((terminal) => serve(options, terminal)))
}

function toAddress(text: string): ListenAddress {
  const address = listenAddress(text)
  if (address !== undefined) return address
  throw new InvalidArgumentError('Expected an address and a port such as 127.0.0.1:9465.')
}

async function serve(options: ServeOptions, terminal: ProcessContext): Promise<number> {
  const { openLog } = await import('../app/log.ts')
  const { keepHistoryOpen } = await import('../app/keep-history-open.ts')
  const { findConfiguredPaths, readPoolOf } = await import('../app/read-plan.ts')
  const { locateHistory } = await import('../app/locate-history.ts')
  const { openExistingHistory } = await import('../app/open-history.ts')
  const { systemClock } = await import('../app/system.ts')
  const { toolVersion } = await import('../app/tool-version.ts')
  const { untilSignalled } = await import('../app/until-signalled.ts')
  const { openAccess } = await import('../pages/access/open-access.ts')
  const { openPages } = await import('../pages/open-pages.ts')
  const { createSite } = await import('../pages/site.ts')
  const { createApi } = await import('./api/create-api.ts')
  const { hostCheck } = await import('../serving/host-check.ts')
  const { listen } = await import('../serving/listen.ts')
  const settings = await readSettings(options, terminal)
  const address = options.listen ?? settings.listen ?? usualListen
  await refuseUnguarded(address, settings)
  const log = openLog({ ...terminal, env: { ...terminal.env, HOOKDRIFT_LOG: terminal.env.HOOKDRIFT_LOG ?? 'info' } })
  const location = await locateHistory(options, terminal)
  const history = keepHistoryOpen(location, (location) => openExistingHistory(location, terminal.env))
  await history.current()
  const isMeant = hostCheck({ host: address.host, hosts: settings.hosts })
  const now = () => systemClock.now()
  const onFault = (error: unknown) => log.error({ error: messageOf(error) }, 'a page could not be made')
  const site = createSite({
    history: () => history.current(),
    plan: {
      // Read for each page of the worker: people edit it while the pages are served.
      configured: async () => {
        const found = await findConfiguredPaths(options, terminal)
        return found && { expected: { named: found.projects, isFound: found.isFound }, schedules: found.schedules }
      },
      pool: () => readPoolOf(location),
    },
    ...{ now, isMeant, onFault },
    version: toolVersion(),
    api: createApi(options, terminal, toolVersion()),
  })
  const access = openAccess({ settings, now, watch: watchAccess(log) })
  const pages = openPages({ access, siteOf: () => site, isMeant, onFault })
  const serving = await listen(address, pages, 'pass another address with --listen')
  try {
    terminal.stdout.write(`hookdrift serves its pages at ${serving.url}/ (Ctrl-C ends it)\n`)
    const { exitCode } = await untilSignalled(
      (signal) => new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
    )
    return exitCode ?? exitCodes.clean
  } finally {
    await serving.close()
    await history.close()
  }
}

/** Who may read, as the configuration says, also where the history is named without it. */
async function readSettings({ config }: ServeOptions, terminal: ProcessContext): Promise<ServeSettings> {
  const { hasConfiguration } = await import('../app/locate-history.ts')
  const { printWarning } = await import('../app/print-warning.ts')
  const { readTextFile } = await import('../app/read-text-file.ts')
  const { readServe, serveSettingsOf } = await import('../config/read-serve.ts')
  if (!hasConfiguration(config, terminal)) return serveSettingsOf()
  const sources = { env: terminal.env, readFile: readTextFile }
  const { settings, warnings } = readServe(resolve(terminal.cwd(), config), sources)
  for (const warning of warnings) printWarning(warning, terminal)
  return settings
}

async function refuseUnguarded({ host }: ListenAddress, { tokens, trustedProxy }: ServeSettings): Promise<void> {
  // The pages cannot be narrowed to projects yet: a reader of some would see all.
  if (tokens.some(({ projects }) => projects !== undefined)) {
    throw AuditError.usage('serve.tokens has a token with projects, and the pages show all', { advice: 'leave it out' })
  }
  if (isLoopback(host) || tokens.length > 0 || trustedProxy !== undefined) return
  const { guardAdvice } = await import('../config/check-serve.ts')
  throw AuditError.usage(`the pages would be open to everyone who reaches ${host}`, { advice: guardAdvice })
}

function watchAccess(log: Log): AccessWatch {
  return {
    entered: (reader, peer) => log.info({ reader, peer }, 'a reader came in'),
    slowed: (peer) => log.warn({ peer }, 'wrong tokens: their sender has to wait'),
  }
}
