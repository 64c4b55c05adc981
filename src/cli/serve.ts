import { type Command, InvalidArgumentError, Option } from 'commander'
import type { HistoryOptions } from '../app/locate-history.ts'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { isLoopback, type ListenAddress, listenAddress } from '../config/listen-schema.ts'
import { AuditError, exitCodes, messageOf } from '../model/errors.ts'
import { addHistoryOptions } from './query-options.ts'

interface ServeOptions extends HistoryOptions {
  readonly listen: ListenAddress
}

const usualListen = '127.0.0.1:9465'

export function defineServe(program: Command, execute: Execute): void {
  addHistoryOptions(program.command('serve'))
    .description('Show the history as pages in a browser')
    .addOption(
      new Option('--listen <address>', 'an address and a port')
        .argParser(toAddress)
        .default(toAddress(usualListen), usualListen),
    )
    .action((options: ServeOptions) => execute((terminal) => serve(options, terminal)))
}

function toAddress(text: string): ListenAddress {
  const address = listenAddress(text)
  if (address !== undefined) return address
  throw new InvalidArgumentError('Expected an address and a port such as 127.0.0.1:9465.')
}

async function serve(options: ServeOptions, terminal: ProcessContext): Promise<number> {
  const { hostCheck } = await import('../serving/host-check.ts')
  if (!isLoopback(options.listen.host)) {
    throw AuditError.usage(`the pages would be open to everyone who reaches ${options.listen.host}`, {
      advice: 'listen at 127.0.0.1, and put a proxy in front that knows its users',
    })
  }
  const { openLog } = await import('../app/log.ts')
  const { keepHistoryOpen } = await import('../app/keep-history-open.ts')
  const { findConfiguredPaths, readPoolOf } = await import('../app/read-plan.ts')
  const { locateHistory } = await import('../app/locate-history.ts')
  const { openExistingHistory } = await import('../app/open-history.ts')
  const { systemClock } = await import('../app/system.ts')
  const { toolVersion } = await import('../app/tool-version.ts')
  const { untilSignalled } = await import('../app/until-signalled.ts')
  const { createSite } = await import('../pages/site.ts')
  const { createApi } = await import('./api/create-api.ts')
  const { listen } = await import('../serving/listen.ts')
  const log = openLog({ ...terminal, env: { ...terminal.env, HOOKDRIFT_LOG: terminal.env.HOOKDRIFT_LOG ?? 'info' } })
  const location = await locateHistory(options, terminal)
  const history = keepHistoryOpen(location, (location) => openExistingHistory(location, terminal.env))
  await history.current()
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
    now: () => systemClock.now(),
    version: toolVersion(),
    api: createApi(options, terminal, toolVersion()),
    isMeant: hostCheck(options.listen),
    onFault: (error) => log.error({ error: messageOf(error) }, 'a page could not be made'),
  })
  const serving = await listen(options.listen, (request) => site.fetch(request), 'pass another address with --listen')
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
