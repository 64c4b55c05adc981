import { describe, expect, it } from 'vitest'
import { coverageCauses, coverageStatuses, gapStatuses } from '../src/model/coverage.ts'
import { noticeCodes } from '../src/model/notice.ts'
import { walkedListings } from '../src/model/resource.ts'
import { complianceSchema } from '../src/report/compliance/compliance.ts'
import type { Framework } from '../src/report/compliance/framework.ts'
import { jsonl } from '../src/report/jsonl.ts'
import { composeCompliance } from './compliance/checked-compliance.ts'
import { checkDocument, checkText } from './documents.ts'
import { aReport, aWalk } from './report/sample-reports.ts'

const framework: Framework = {
  id: 'ours',
  title: 'Ours',
  controls: [{ id: 'E', title: 'All', evidence: [{ rules: ['endpoint/*'], rationale: 'They receive.' }] }],
}
const rules = (['endpoint', 'subscription'] as const).map((kind) => ({
  ...{ id: `endpoint/${kind}`, kind, title: 'A rule', remediation: '', severity: 'high' as const, controls: [] },
  needs: [kind],
}))
const gaps = walkedListings.flatMap((listing) => gapStatuses.map((status) => [listing, status] as const))

describe('a report by controls', () => {
  it.each(gaps)('follows its schema with a walk of %s that is %s', (listing, status) => {
    const project = listing === 'projects' ? 'acme/*' : 'acme/payments'
    const walk = aWalk({ project, listing, status, cause: 'http', reason: 'answered 500' })
    const compliance = composeCompliance({ report: aReport({ coverage: [walk], rules }), framework })
    expect(complianceSchema.safeParse(compliance).error).toBeUndefined()
  })
})

describe('a report', () => {
  const walks = walkedListings.flatMap((listing) =>
    coverageStatuses.map((status) =>
      status === 'complete' ? aWalk({ listing }) : aWalk({ listing, status, cause: 'http', reason: 'answered 500' }),
    ),
  )
  const caused = coverageCauses.map((cause) => aWalk({ status: 'failed', cause, reason: 'failed' }))
  const notices = noticeCodes.map((code) => ({ code, project: 'acme/payments', listing: null, text: 'It is so.' }))

  it('follows its schema with every listing, status, cause and notice, also line by line', () => {
    const report = checkDocument(aReport({ coverage: [...walks, ...caused], notices }))
    checkText(jsonl(report, { colour: false, width: 80, full: false }))
  })
})

describe('a document that a test makes', () => {
  const report = aReport({ coverage: [aWalk()] })
  const broken = JSON.stringify(report).replace('"listing":"endpoints"', '"listing":"gadgets"')
  const line = (of: object) => JSON.stringify(of)

  it.each([
    ['with a value that its schema does not have', broken],
    ['with a member that its schema does not have', line({ ...report, gadgets: [] })],
    ['without a member', line({ ...report, drift: undefined })],
    ['without a published schema', line({ schema: 'hookdrift.gadgets/1', rows: [] })],
    ['of another version', line({ ...report, schema: 'hookdrift.report/1' })],
    ['of lines', `${line({ type: 'run', schema: 'hookdrift.report/3', run: 1 })}\n${line({ type: 'x', run: 1 })}\n`],
    ['of the lines of an answer', `${line({ type: 'answer', schema: 'hookdrift.runs/3', run: 7 })}\n`],
  ])('is refused %s', async (_, text) => {
    expect(() => checkText(text)).toThrow(/schema/)
    await expect(new Response(text).text()).rejects.toThrow(/schema/)
  })

  it.each(['', 'hookdrift.report/3', '{}', '[1]', '{"schema":"hookdrift.repo', '{"schema":"another/1"}'])(
    'and nothing else is: %s',
    async (text) => {
      checkText(text)
      expect(await new Response(text).text()).toBe(text)
    },
  )
})
