import { type Command, InvalidArgumentError, Option } from 'commander'
import type { HistoryOptions } from '../app/locate-history.ts'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { type ListenAddress, listenAddress } from '../config/schedule-schema.ts'
import { AuditError, exitCodes } from '../model/errors.ts'
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
  const { hostCheck, isLoopback } = await import('../serving/host-check.ts')
  if (!isLoopback(options.listen.host)) {
    throw AuditError.usage(`the pages would be open to everyone who reaches ${options.listen.host}`, {
      advice: 'listen at 127.0.0.1, and put a proxy in front that knows its users',
    })
  }
  const { openLog } = await import('../app/log.ts')
  const { untilSignalled } = await import('../app/until-signalled.ts')
  const { listen } = await import('../serving/listen.ts')
  const { openSite } = await import('./open-site.ts')
  const log = openLog({ ...terminal, env: { ...terminal.env, HOOKDRIFT_LOG: terminal.env.HOOKDRIFT_LOG ?? 'info' } })
  const site = await openSite(options, { terminal, log, isMeant: hostCheck(options.listen) })
  // A history that cannot be read is said now, not on the first page.
  await site.history()
  const serving = await listen(options.listen, site.answer, 'pass another address with --listen')
  try {
    terminal.stdout.write(`hookdrift serves its pages at ${serving.url}/ (Ctrl-C ends it)\n`)
    const { exitCode } = await untilSignalled(
      (signal) => new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
    )
    return exitCode ?? exitCodes.clean
  } finally {
    await serving.close()
    await site.close()
  }
}
