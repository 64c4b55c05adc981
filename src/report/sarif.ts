import type { Run } from 'sarif'
import type { Report } from '../model/report.ts'
import { rulesOf } from './judging-rules.ts'
import { neutraliseJson } from './neutralise.ts'
import type { ReportFormat } from './report-format.ts'
import { describeInvocation, notificationKinds } from './sarif/describe-invocation.ts'
import { describeResult } from './sarif/describe-result.ts'
import { describeRule } from './sarif/describe-rule.ts'
import { fitResults, tellLeftOut } from './sarif/fit-results.ts'

/** SARIF 2.1.0, for code scanning: a result for each violation, in the order of the report. A line for each result. */
export const sarif: ReportFormat = (report) => {
  const { run, violations, projects } = report
  const rules = rulesOf(report)
  const places = new Map(projects.flatMap(({ project, place }) => (place === null ? [] : [[project, place]])))
  const surroundings = { run, places, ruleIndex: new Map(rules.map(({ id }, index) => [id, index])) }
  const lines = violations.map((violation) => neutraliseJson(JSON.stringify(describeResult(violation, surroundings))))
  const results = fitResults(lines)
  const leftOut = tellLeftOut(lines.length, results.length, run.number)

  const head = {
    tool: {
      driver: {
        name: report.tool.name,
        version: report.tool.version,
        semanticVersion: report.tool.version,
        rules: rules.map(describeRule),
        notifications: [...notificationKinds],
      },
    },
    automationDetails: { id: `hookdrift/${run.number}` },
    invocations: [describeInvocation(report, places, leftOut)],
    columnKind: 'utf16CodeUnits',
    properties: propertiesOf(report, results.length),
  } as const satisfies Run
  return writeLog(head, results)
}

function propertiesOf({ run, digests, verdict, violations }: Report, results: number) {
  return { run: run.number, digests, verdict, left_out: violations.length - results }
}

const schema = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json'

function writeLog(head: Run, results: readonly string[]): string {
  const members = neutraliseJson(JSON.stringify(head, null, 1)).slice(1, -2)
  return `{
"$schema": "${schema}",
"version": "2.1.0",
"runs": [{${members},
 "results": [${results.map((result) => `\n${result}`).join(',')}]
}]
}
`
}
