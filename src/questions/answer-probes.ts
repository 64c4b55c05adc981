import { z } from 'zod'
import type { ManualProbeRun, UnreadProject } from '../audit/probes/run-manually.ts'
import { createResultSealer } from '../inventory/probe-resource.ts'
import type { Sealer } from '../inventory/sealer.ts'
import { jsonOfNumbers } from '../model/exact-number.ts'
import type { Json } from '../model/json.ts'
import { schemas } from '../model/report.ts'
import { anyJson, listOf } from '../model/schema.ts'
import { type Answer, type AnswerForm, type AnswerView, aboutNoRun, limited } from '../report/answer.ts'
import { withRequestId } from '../service/reply.ts'
import { neutralise, neutraliseJson, quote } from '../text/neutralise.ts'

export const probeForm: AnswerForm = {
  name: 'probe',
  version: 2,
  about: aboutNoRun,
  row: z.object({
    project: schemas.project,
    probe: z.string().nullable().describe('null for a payload of the command line.'),
    kind: schemas.kind.nullable(),
    uid: z.string().nullable(),
    name: z.string().nullable(),
    outcome: z.enum(['ok', 'failed', 'unknown']),
    verdict: z.enum(['ok', 'failed', 'unexpected', 'unknown']),
    message: z.string().nullable(),
    payload: anyJson.describe('Any JSON.'),
    log: listOf(z.string()),
  }),
  more: {
    coverage: listOf(z.object({ project: schemas.project, reason: z.string() }))
      .describe('Projects whose functions could not be listed.')
      .exactOptional(),
  },
}

/** The results of functions; values that look like secrets are sealed. */
export function answerProbes(
  { runs, unlisted }: { readonly runs: readonly ManualProbeRun[]; readonly unlisted: readonly UnreadProject[] },
  sealer: Sealer,
  limit: number,
): Answer<Row> {
  return {
    form: probeForm,
    run: null,
    ...limited(
      runs.map((run) => rowOf(run, sealer)),
      limit,
    ),
    ...(unlisted.length > 0 && { more: { coverage: unlisted.map((each) => ({ ...each })) } }),
    conclusion: unlisted.map(({ project, reason }) => `${project}: its functions could not be listed: ${reason}`),
  }
}

export const probesView: AnswerView<Row> = {
  columns: ['project', 'probe', 'kind', 'uid', 'name', 'outcome', 'verdict', 'message', 'payload', 'log'],
  lines: ({ rows }) => rows.flatMap((row, at) => [...(at === 0 ? [] : ['']), ...linesOf(row)]),
  nothing: 'No function ran.',
  isOfRun: false,
}

type Row = ReturnType<typeof rowOf>

function rowOf({ project, probe, target, functionText, result }: ManualProbeRun, sealer: Sealer) {
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

function linesOf({ project, probe, kind, uid, name, outcome, verdict, message, payload, log }: Row): string[] {
  const whose = uid === null ? ['the given text'] : [`${kind}`, ...(name ? [quote(name)] : []), neutralise(uid)]
  const what = [neutralise(project), ...(probe === null ? [] : [`probe ${neutralise(probe)}`]), whose.join(' ')].join(
    '  ',
  )
  const lines = [`${verdicts[verdict]}  ${what}`]
  if (message !== null) lines.push(`  ${neutralise(message)}`)
  if (outcome === 'ok') lines.push('payload', ...indented(payload), ...(log.length > 0 ? ['log'] : []))
  for (const line of log) lines.push(`  ${neutralise(line)}`)
  return lines
}

function indented(value: Json): string[] {
  const text = neutraliseJson(jsonOfNumbers(JSON.stringify(value, null, 2)))
  return text.split('\n').map((line) => `  ${line}`)
}
