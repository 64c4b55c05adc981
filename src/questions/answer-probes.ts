import { z } from 'zod'
import type { ManualProbeRun, UnreadProject } from '../audit/probes/run-manually.ts'
import { createResultSealer } from '../gateway/inventory/probe-resource.ts'
import type { Sealer } from '../gateway/inventory/sealer.ts'
import { withRequestId } from '../gateway/service/reply.ts'
import { jsonOfNumbers } from '../model/exact-number.ts'
import { schemas } from '../model/report.ts'
import { anyJson, listOf } from '../model/schema.ts'
import { neutralise, neutraliseJson, quote } from '../model/text/neutralise.ts'
import { type Answer, type AnswerForm, type AnswerView, aboutNoRun, limited } from '../report/answer.ts'
import { type Block, text, verbatim } from '../report/document/blocks.ts'

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
  blocks: ({ rows }) => rows.map(sectionOf),
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

function sectionOf({ project, probe, kind, uid, name, outcome, verdict, message, payload, log }: Row): Block {
  const whose = uid === null ? 'the given text' : `${kind} ${name ? `${quote(name)} ` : ''}${uid}`
  const printed = neutraliseJson(jsonOfNumbers(JSON.stringify(payload, null, 2))).split('\n')
  return {
    kind: 'section',
    level: 2,
    title: `${verdicts[verdict]}: ${project} ${probe === null ? '' : `probe ${probe} `}${whose}`,
    blocks: [
      ...(message === null ? [] : [text(message)]),
      ...(outcome === 'ok' ? [text('payload'), verbatim(printed)] : []),
      ...(log.length === 0 ? [] : [text('log'), verbatim(log.map(neutralise))]),
    ],
  }
}
