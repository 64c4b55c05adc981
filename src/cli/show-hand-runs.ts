import type { HandRun, Unlisted } from '../audit/probe-by-hand.ts'
import { createResultSealer } from '../inventory/seal-result.ts'
import type { Sealer } from '../inventory/sealer.ts'
import { jsonOfNumbers } from '../model/exact-number.ts'
import type { Json } from '../model/json.ts'
import { neutralise, neutraliseJson, quote } from '../report/neutralise.ts'
import { withRequestId } from '../service/tell-failure.ts'

interface Shown {
  readonly runs: readonly HandRun[]
  readonly unlisted: readonly Unlisted[]
}

/** What functions gave, for a person or as `hookdrift.probe/1`; what looks secret is sealed as everywhere. */
export function showHandRuns(
  { runs, unlisted }: Shown,
  { format, sealer }: { readonly format: 'text' | 'json'; readonly sealer: Sealer },
): string {
  const rows = runs.map((run) => rowOf(run, sealer))
  if (format === 'text') {
    const missed = unlisted.map(
      ({ project, reason }) => `${neutralise(project)}: not looked through: ${neutralise(reason)}\n`,
    )
    return [...rows.map(textOf), ...missed].join('\n')
  }
  const answer = { schema: 'hookdrift.probe/1', run: null, ...(unlisted.length > 0 && { coverage: unlisted }), rows }
  return `${neutraliseJson(JSON.stringify(answer, null, 2))}\n`
}

type Row = ReturnType<typeof rowOf>

function rowOf({ project, probe, target, functionText, result }: HandRun, sealer: Sealer) {
  const sealed = createResultSealer(functionText, probe.payload, sealer)
  const isOk = result.outcome === 'ok'
  const complaint = isOk ? result.complaint : null
  const message = isOk ? complaint : withRequestId(result.message, 'requestId' in result ? result.requestId : null)
  return {
    project: project.ref.name,
    probe: probe.name === '' ? null : probe.name,
    kind: target?.kind ?? null,
    uid: target?.uid ?? null,
    name: target?.name ?? null,
    outcome: result.outcome,
    verdict: complaint === null ? result.outcome : ('unexpected' as const),
    message: message === null ? null : sealed.text(message),
    payload: isOk ? sealed.value(result.output) : null,
    log: isOk ? result.log.map((line) => sealed.text(line)) : [],
  }
}

const verdicts = {
  ok: 'ok',
  failed: 'FAILED',
  unexpected: 'UNEXPECTED',
  unknown: 'could not run',
} as const satisfies Record<Row['verdict'], string>

function textOf({ project, probe, kind, uid, name, outcome, verdict, message, payload, log }: Row): string {
  const whose = uid === null ? ['the given text'] : [`${kind}`, ...(name ? [quote(name)] : []), neutralise(uid)]
  const what = [neutralise(project), ...(probe === null ? [] : [`probe ${neutralise(probe)}`]), whose.join(' ')].join(
    '  ',
  )
  const lines = [`${verdicts[verdict]}  ${what}`]
  if (message !== null) lines.push(`  ${neutralise(message)}`)
  if (outcome === 'ok') lines.push('payload', indented(payload), ...(log.length > 0 ? ['log'] : []))
  for (const line of log) lines.push(`  ${neutralise(line)}`)
  return `${lines.join('\n')}\n`
}

function indented(value: Json): string {
  return neutraliseJson(jsonOfNumbers(JSON.stringify(value, null, 2))).replaceAll(/^/gm, '  ')
}
