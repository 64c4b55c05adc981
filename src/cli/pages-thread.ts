import { parentPort, workerData } from 'node:worker_threads'
import { openLog } from '../app/log.ts'
import type { ProcessContext } from '../app/process-context.ts'
import { letAuditsGoFirst } from '../app/system.ts'
import { answerRequests } from '../serving/answer-requests.ts'
import type { PagesThread } from './open-pages-thread.ts'
import { openSite } from './open-site.ts'

if (parentPort === null) throw new Error('this runs in a thread')
letAuditsGoFirst()
// as: `open-pages-thread.ts` gives it.
const { options, place, settings, cwd, env } = workerData as PagesThread
const terminal: ProcessContext = { stdout: process.stdout, stderr: process.stderr, env, cwd: () => cwd }
answerRequests(parentPort, await openSite(options, { terminal, log: openLog(terminal), place, settings }))
