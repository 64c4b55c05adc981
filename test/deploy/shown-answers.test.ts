import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checkout } from './build-image.ts'
import { bare, blocksOf, runPage, showsAnswer, withAnswers } from './run-page.ts'

const { UPDATE_PAGES: update } = process.env
const textOf = (page: string) => readFileSync(join(checkout, page), 'utf8')

/** Pages whose every command is run; they begin in an empty directory. */
const executed = [
  'docs/tutorial.md',
  'docs/how-to/ask-the-history.md',
  'docs/how-to/approve-a-baseline.md',
  'docs/how-to/report-by-control.md',
]

it.each(executed)(
  '%s shows what its commands answer (UPDATE_PAGES=1 rewrites it)',
  async (page) => {
    const text = textOf(page)
    const answers = await runPage(text)
    if (update !== undefined) return writeFileSync(join(checkout, page), withAnswers(text, answers))
    const wrong = blocksOf(text)
      .flatMap(({ steps }) => steps)
      .map((step, place) => ({ ...step, answered: answers.get(place) ?? [] }))
      .filter((step) => !showsAnswer(step, step.answered))
    expect(wrong).toEqual([])
  },
  180_000,
)

it('the README shows an answer of the tutorial', () => {
  const [block] = blocksOf(textOf('README.md')).filter(({ steps }) => steps[0]?.command === 'hookdrift audit')
  const told = blocksOf(textOf('docs/tutorial.md')).flatMap(({ steps }) => steps)
  const shown = block?.steps[0]?.shown.map(bare) ?? []
  expect(shown.length).toBeGreaterThan(5)
  expect(told.map((step) => step.shown.map(bare))).toContainEqual(shown)
})
