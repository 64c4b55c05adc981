import { withoutPassword } from '../history/postgres-server.ts'
import { messageOf } from '../model/errors.ts'
import { openProcessContext } from './open-process-context.ts'
import { runCommand } from './run-command.ts'

// Node would exit with 1, which means violations in the audited system.
process.on('uncaughtException', (error) => {
  if (process.listenerCount('uncaughtException') > 1) return // a worker ends its runs first: end-in-order.ts
  process.exitCode = 4
  process.stderr.write(`hookdrift: this is a bug: ${error.stack ?? messageOf(error)}\n`, () => process.exit(4))
})

// In place of the command line, which the list of processes shows to other users.
const [, , ...safeArguments] = process.argv.map(withoutPassword)
if (safeArguments.some((text, at) => text !== process.argv[at + 2]))
  process.title = ['hookdrift', ...safeArguments].join(' ')

process.exitCode = await runCommand(process.argv.slice(2), openProcessContext(process))
