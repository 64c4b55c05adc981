import type { Run } from 'sarif'
import type { FileLocation } from '../model/evaluation.ts'
import type { Report } from '../model/report.ts'
import { neutraliseJson } from '../text/neutralise.ts'
import { rulesOf } from './evaluated-rules.ts'
import type { ReportFormat } from './report-format.ts'
import { describeInvocation, notificationKinds } from './sarif/describe-invocation.ts'
import { describeResult } from './sarif/describe-result.ts'
import { describeRule } from './sarif/describe-rule.ts'
import { describeOmitted, fitResults } from './sarif/fit-results.ts'

/** SARIF 2.1.0, for code scanning: a result for each violation, in the order of the report. A line for each result. */
export const sarif: ReportFormat = (report) => {
  const { run, violations, projects } = report
  const rules = rulesOf(report)
  const placeOf = placesIn(projects)
  const context = { run, placeOf, ruleIndex: new Map(rules.map(({ id }, index) => [id, index])) }
  const lines = violations.map((violation) => neutraliseJson(JSON.stringify(describeResult(violation, context))))
  const results = fitResults(lines)
  const omitted = describeOmitted(lines.length, results.length, run.number)

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
    invocations: [describeInvocation(report, placeOf, omitted)],
    columnKind: 'utf16CodeUnits',
    properties: propertiesOf(report, results.length),
  } as const satisfies Run
  return writeLog(head, results)
}

/** Viewers refuse results without a location, so a project that is no longer configured gets the file of the others. */
function placesIn(projects: Report['projects']): (project: string) => FileLocation | undefined {
  const known = projects.flatMap(({ project, configured_at: place }) => (place === null ? [] : [{ project, place }]))
  const places = new Map(known.map(({ project, place }) => [project, place]))
  const [first] = known
  return (project) => places.get(project) ?? (first === undefined ? undefined : { file: first.place.file, line: 1 })
}

function propertiesOf({ run, digests, verdict, violations }: Report, results: number) {
  return { run: run.number, digests, verdict, omitted: violations.length - results }
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
