import type { PoolState, TaskCount } from '../app/pool/workers.ts'
import { count } from '../model/text/count.ts'
import type { Answer } from '../report/answer.ts'
import { showTime } from '../report/text/show-time.ts'

/** What the workers that share a history do, as members of an answer; nothing where there are none. */
export function describePool(state: PoolState): Pick<Answer<never>, 'more' | 'remarks'> {
  const { run, workers } = state
  if (run === undefined && workers.length === 0) return {}
  const projects = countOf(state.tasks)
  const rows = workers.map(({ host, pid, slots, run, walks }) => ({
    host,
    pid,
    slots,
    walks: [...walks],
    coordinates: run,
  }))
  return {
    more: {
      under_way:
        run === undefined
          ? null
          : { run: run.number, started_at: run.startedAt, stops_at: run.stopsAt, projects: { ...projects } },
      workers: rows,
    },
    remarks: [
      ...(run === undefined ? [] : [describeRun(run, projects, workers)]),
      ...rows.map(({ host, pid, slots, walks, coordinates }) => {
        const role = coordinates === null ? '' : `, coordinates run ${coordinates}`
        const doing = walks.length === 0 ? 'reads no project' : `reads ${walks.join(', ')}`
        return `Worker ${pid} on ${host} (${count(slots, 'slot')}${role}) ${doing}.`
      }),
    ],
  }
}

type Projects = Readonly<Record<TaskCount['state'], number>>

function countOf(tasks: readonly TaskCount[]): Projects {
  const counts = { waiting: 0, running: 0, done: 0, lost: 0 }
  for (const { state, count: number } of tasks) counts[state] += number
  return counts
}

function describeRun(
  { number, stopsAt }: NonNullable<PoolState['run']>,
  { waiting, running, done, lost }: Projects,
  workers: PoolState['workers'],
): string {
  const slots = workers.reduce((sum, worker) => sum + worker.slots, 0)
  const finished = `${done + lost} of ${count(waiting + running + done + lost, 'project')}`
  return `Run ${number} is under way: ${finished}, ${count(slots, 'slot')} on ${count(workers.length, 'worker')}, stops ${showTime(stopsAt)}.`
}
