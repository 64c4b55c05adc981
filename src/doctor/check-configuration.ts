import { type ExaminedConfiguration, examineConfiguration } from '../config/read-configuration.ts'
import { timetableFaultsAt } from '../policy/timetable.ts'
import { count } from '../text/count.ts'
import { problemLine } from '../yaml/problem.ts'
import { type Diagnosis, diagnosesOf, fail, ok, type Setup, warn } from './check.ts'

/**
 * Reports each mistake of the configuration, and hands on what is right in it. `examined`: as far as it can be read;
 * undefined where it cannot.
 */
export function checkConfiguration({ config, history, sources, cwd, clock, showPath }: Setup): {
  readonly diagnoses: readonly Diagnosis[]
  readonly examined: ExaminedConfiguration | undefined
} {
  try {
    const findTimetableFault = timetableFaultsAt(clock.now())
    const examined = examineConfiguration(config, sources, { history, cwd, findTimetableFault })
    return { diagnoses: diagnosesIn(examined, showPath(config)), examined }
  } catch (error) {
    return { diagnoses: diagnosesOf(error, correctFile), examined: undefined }
  }
}

function diagnosesIn({ problems, parts }: ExaminedConfiguration, file: string): readonly Diagnosis[] {
  const faults = problems
    .toSorted((a, b) => a.line - b.line || a.column - b.column)
    .map((problem) => fail(problemLine(problem.column === 0 ? problem : { ...problem, file }), adviceOn(problem.text)))
  const shown = (line: string) => (parts?.file === undefined ? line : line.replace(parts.file, () => file))
  const warnings = (parts?.warnings ?? []).map((line) => warn(shown(line), heedWarning))
  if (faults.length > 0 || parts === undefined) return [...faults, ...warnings]
  const projects = parts.services.reduce((sum, service) => sum + service.projects.length, 0)
  const lists = parts.services.filter(({ matches }) => matches.length > 0).length
  const listed = lists === 0 ? '' : `, and those of ${count(lists, 'list')}`
  return [
    ok(
      `${parts.file === undefined ? 'the environment' : file}: ${count(parts.services.length, 'service')}, ${count(projects, 'project')}${listed}`,
    ),
    ...warnings,
  ]
}

const correctFile = 'Correct it there, and run `hookdrift config check`.'
/** Each warning is about a secret that more people can read than need it, and says what to use. */
const heedWarning = 'Change it there, and replace the secret: others may have read it.'

/** A mistake says itself what was expected; where a value is missing, the file is not what to correct. */
function adviceOn(text: string): string {
  const isEmpty = text.includes(' is empty once ')
  if (isEmpty && text.includes('${file:')) return 'Write the value into the file, where hookdrift runs.'
  const isMissing = isEmpty || text.includes(' is not set')
  return isMissing
    ? 'Set the variable where hookdrift runs; in CI, check that the secret of the job is set.'
    : correctFile
}
