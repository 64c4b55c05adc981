import { parseArgs } from 'node:util'
import type { Claim } from '../prove/gateway/claim.ts'
import { readClaims } from '../prove/gateway/read-claims.ts'
import { fixes } from '../prove/gateway/trials/fixes.ts'
import { GatewayClient, openOrganisation } from '../prove/gateway/trials/gateway-client.ts'
import { Receiver } from '../prove/gateway/trials/receiver.ts'
import type { Step } from '../prove/gateway/trials/steps.ts'
import { trials } from '../prove/gateway/trials/trials.ts'
import { type TrialBench, TriedProject } from '../prove/gateway/trials/tried-project.ts'
import { tryFix } from '../prove/gateway/trials/try-fix.ts'
import { layTable } from '../src/model/text/table.ts'
import { builtInRule } from '../src/rules/rules.ts'

/**
 * Tries claims about the gateway on a running one: a project for each claim that names a trial, with what it has, then
 * the steps of the trial. With `--fixes`: breaks rules, does what fixes them, and audits before and after.
 * `prove/README.md` says how. Ends with 1 where the gateway does something else.
 */
const { values } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:5005' },
    organisation: { type: 'string' },
    email: { type: 'string', default: 'superuser@default.com' },
    receiver: { type: 'string', default: '198.51.100.7:8900' },
    only: { type: 'string', default: '' },
    // Without a licence, a gateway takes two projects.
    'at-once': { type: 'string', default: '2' },
    fixes: { type: 'boolean', default: false },
  },
})
const { GATEWAY_KEY: key = '', GATEWAY_PASSWORD: password = 'default' } = process.env
const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(values.receiver) ?? []
await using receiver = new Receiver(host, Number(port))
const opened =
  values.organisation === undefined
    ? await openOrganisation(values.url, { email: values.email, password })
    : { organisation: values.organisation, key }
const bench = { ...opened, gateway: new GatewayClient(values.url, opened.key), receiver }

/** A row of the table that is printed. */
interface Trial {
  readonly given: string
  readonly tried: string
  /** What was not as it should be. */
  readonly run: () => Promise<string | undefined>
}

const ofFixes = (): Trial[] =>
  fixes
    .filter(({ rule }) => builtInRule(rule) !== undefined)
    .map((fix) => {
      const tried = fix.steps === undefined ? 'what restore prints' : 'requests of the table'
      return { given: fix.rule, tried, run: () => tryFix(bench, fix) }
    })
const ofClaims = async (): Promise<Trial[]> =>
  (await readClaims()).flatMap((claim) =>
    claim.trial === undefined ? [] : [{ given: claim.given, tried: claim.trial, run: () => tryClaim(bench, claim) }],
  )
const chosen = (values.fixes ? ofFixes() : await ofClaims()).filter(({ given, tried }) =>
  `${given}, ${tried}`.includes(values.only),
)
const queue = [...chosen.entries()]
const faults: (string | undefined)[] = []
await Promise.all(
  Array.from({ length: Number(values['at-once']) }, async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [index, { run }] = next
      faults[index] = await run().catch((error: unknown) => String(error))
    }
  }),
)
const isWrong = (index: number) => faults[index] !== undefined
const columns = [
  { name: 'given', value: ({ given }: Trial) => given },
  { name: 'tried', value: ({ tried }: Trial) => tried },
  { name: 'result', value: (trial: Trial) => (isWrong(chosen.indexOf(trial)) ? 'not so' : 'as said') },
]
process.stdout.write(`${layTable(columns, chosen, 160).join('\n')}\n\n`)
for (const [index, { given, tried }] of chosen.entries()) {
  if (isWrong(index)) process.stdout.write(`${given} (${tried}): ${faults[index]}\n`)
}
const wrong = chosen.filter((_, index) => isWrong(index)).length
process.stdout.write(`${chosen.length} tried on ${values.url}: ${chosen.length - wrong} as said, ${wrong} not\n`)
if (wrong > 0) process.exitCode = 1

/** The first step that failed. */
async function tryClaim(bench: TrialBench, { trial = '', has }: Claim): Promise<string | undefined> {
  const table: Readonly<Record<string, readonly Step[]>> = trials
  const project = await TriedProject.open(bench, has.type)
  try {
    await project.fill(has)
    for (const [index, step] of (table[trial] ?? []).entries()) {
      const fault = await step(project)
      if (fault !== undefined) return `step ${index + 1}: ${fault}`
    }
    return table[trial] === undefined ? 'there is no such trial' : undefined
  } finally {
    await project.remove()
  }
}
