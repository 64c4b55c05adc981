import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { pickSection } from '../../src/questions/show-markdown.ts'
import { checkout, textOf } from './build-image.ts'
import { blocksOf, runPage, showsAnswer, withAnswers } from './run-page.ts'

const { UPDATE_PAGES: update } = process.env

/** Pages whose every command is run; they begin in an empty directory. */
const executed = [
  'docs/tutorial.md',
  'docs/how-to/ask-the-history.md',
  'docs/how-to/approve-a-baseline.md',
  'docs/how-to/compare-staging-with-production.md',
  'docs/how-to/find-out-what-it-cost.md',
  'docs/how-to/preview-an-update.md',
  'docs/how-to/report-by-control.md',
  'docs/how-to/restore-a-resource.md',
  'docs/reference/errors.md',
]

it.each(executed)(
  '%s shows the current answers of its commands (UPDATE_PAGES=1 rewrites it)',
  async (page) => {
    const text = textOf(page)
    const answers = await runPage(text, preparationFor(text))
    if (update !== undefined) return writeFileSync(join(checkout, page), withAnswers(text, answers))
    const wrong = blocksOf(text)
      .flatMap(({ steps }) => steps)
      .map((step, place) => ({ ...step, answered: answers.get(place) ?? [] }))
      .filter((step) => !showsAnswer(step, step.answered))
    expect(wrong).toEqual([])
  },
  180_000,
)

/** The section of the page about preparations that a page asks for by a link. */
function preparationFor(text: string): string {
  const [, anchor] = /\]\((?:\.\.\/how-to\/)?prepare-a-gateway\.md#([\w-]+)\)/.exec(text) ?? []
  if (anchor === undefined) return ''
  const section = pickSection(textOf('docs/how-to/prepare-a-gateway.md'), anchor)
  return typeof section === 'string' ? section : expect.unreachable(`no section ${anchor}`)
}
