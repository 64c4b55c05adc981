import { parseArgs } from 'node:util'
import type { Claim } from '../prove/gateway/claim.ts'
import { readClaims } from '../prove/gateway/read-claims.ts'
import { GatewayClient, openOrganisation } from '../prove/gateway/trials/gateway-client.ts'
import { Receiver } from '../prove/gateway/trials/receiver.ts'
import type { Step } from '../prove/gateway/trials/steps.ts'
import { trials } from '../prove/gateway/trials/trials.ts'
import { type TrialBench, TriedProject } from '../prove/gateway/trials/tried-project.ts'
import { layTable } from '../src/text/table.ts'

/**
 * Tries claims about the gateway on a running one: a project for each claim that names a trial, with what it has, then
 * the steps of the trial. `docs/proof.md` says how. Ends with 1 where a claim does not hold.
 */
const { values } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:5005' },
    organisation: { type: 'string' },
    email: { type: 'string', default: 'superuser@default.com' },
    receiver: { type: 'string', default: '198.51.100.7:8900' },
    only: { type: 'string', default: '' },
    'at-once': { type: 'string', default: '2' },
  },
})
const { GATEWAY_KEY: key = '', GATEWAY_PASSWORD: password = 'default' } = process.env
const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(values.receiver) ?? []
await using receiver = new Receiver(host, Number(port))
const opened =
  values.organisation === undefined
    ? await openOrganisation(values.url, { email: values.email, password })
    : { organisation: values.organisation, key }
const bench = { gateway: new GatewayClient(values.url, opened.key), organisation: opened.organisation, receiver }

const table: Readonly<Record<string, readonly Step[]>> = trials
const claims = (await readClaims()).filter(
  ({ trial, given }) => trial !== undefined && `${trial}, ${given}`.includes(values.only),
)
const queue = [...claims.entries()]
const faults: (string | undefined)[] = []
await Promise.all(
  Array.from({ length: Number(values['at-once']) }, async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [index, claim] = next
      faults[index] = await tryClaim(bench, claim)
    }
  }),
)
const columns = [
  { name: 'given', value: ({ given }: Claim) => given },
  { name: 'tried', value: ({ trial }: Claim) => trial ?? '' },
  { name: 'result', value: (claim: Claim) => (faults[claims.indexOf(claim)] === undefined ? 'as claimed' : 'not so') },
]
const wrong = faults.filter((fault) => fault !== undefined).length
process.stdout.write(`${layTable(columns, claims, 160).join('\n')}\n\n`)
for (const [index, { given, does }] of claims.entries()) {
  if (faults[index] !== undefined) process.stdout.write(`${given}: ${does}. Not so: ${faults[index]}\n`)
}
process.stdout.write(
  `${claims.length} claims tried on ${values.url}: ${claims.length - wrong} as claimed, ${wrong} not\n`,
)
if (wrong > 0) process.exitCode = 1

/** What was not as the claim says: the first step that failed. */
async function tryClaim(bench: TrialBench, { trial = '', has }: Claim): Promise<string | undefined> {
  const steps = table[trial]
  if (steps === undefined) return `there is no trial ${trial}`
  let project: TriedProject | undefined
  try {
    project = await TriedProject.open(bench, has.type)
    await project.fill(has)
    for (const [index, step] of steps.entries()) {
      const fault = await step(project)
      if (fault !== undefined) return `step ${index + 1}: ${fault}`
    }
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    await project?.remove()
  }
}
