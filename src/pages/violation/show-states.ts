import type { ViolationSpan } from '../../history/sql/resource-life.ts'
import { describeEnding } from '../../report/describe-ending.ts'
import { html, type Markup, nothing } from '../../report/html/markup.ts'
import type { RunNames } from '../name-run.ts'

/** The states of a violation over time, newest first; its earlier lives too. */
export function showStates(spans: readonly ViolationSpan[], runs: RunNames): Markup {
  const entries = spans.flatMap((span, at) => {
    const { state, isContinued, goesOn, fromRun, from, toRun, to, resolution, endedBy, message } = span
    const before = spans[at - 1]
    const isReworded = isContinued && before?.state === state
    const isBack = !isContinued && at > 0
    const turn = isReworded
      ? 'message changed'
      : state === 'open'
        ? isContinued
          ? 'open again'
          : isBack
            ? 'opened again'
            : 'opened'
        : state
    const begun = entry(
      {
        name: turn,
        run: fromRun,
        at: from,
        text: before?.message === message ? '' : message,
        mark: state === 'unknown' ? 'unseen' : '',
      },
      runs,
    )
    if (toRun === null || goesOn) return [begun]
    const name = describeEnding({ resolution, ended_by: endedBy })
    const mark = endedBy === null ? 'added' : ''
    return [begun, entry({ name, run: toRun, at: to ?? '', text: '', mark }, runs)]
  })
  return html`<ol class="rows states" reversed>
${entries.toReversed()}</ol>
`
}

interface Entry {
  readonly name: string
  readonly run: number
  readonly at: string
  readonly text: string
  readonly mark: string
}

function entry({ name, run, at, text, mark }: Entry, runs: RunNames): Markup {
  return html`<li class="${mark}"><p><b>${name}</b> ${runs.nameAt(run, at)}</p>${text === '' ? nothing : html`<p class="where">${text}</p>`}</li>
`
}
