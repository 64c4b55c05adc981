import { Dropped } from '../model/stop.ts'
import { type Job, touchEveryMs, walkQueue } from './jobs.ts'
import { type TaskKey, waitingServices } from './tasks.ts'
import { type Abandonment, type WalkDependencies, type WalkResult, walkTask } from './walk-task.ts'
import { leaveForMs, refusals } from './workers.ts'

export interface SlotDependencies extends WalkDependencies {
  readonly slots: number
  /** How many walks of a service all workers together may have under way; undefined: this worker does not walk it. */
  readonly capOf: (service: string) => number | undefined
  /** Calls repeatedly until the returned function is called. */
  readonly every: (ms: number, call: () => void) => () => void
  readonly watch: SlotObserver
}

/** Called with each event of the slots. */
export interface SlotObserver {
  begun(service: string): void
  ended(service: string, result: WalkResult): void
  failed(service: string, error: unknown): void
  /** The server could not be asked for work. */
  unreachable(error: unknown): void
}

/** How soon an idle worker asks for jobs again, while a run is under way and otherwise. */
const napMs = { during: 250, between: 1_000 }
/** The jobs of a lost worker come back while their tasks are running: for those, queues are asked this often. */
const lostEveryMs = 1_000

const stopping: Abandonment = new Dropped('stopping', 'its worker stops')
const lost: Abandonment = new Dropped('lost', 'another worker has it')

interface Walk {
  readonly queue: string
  readonly job: Job<TaskKey>
  readonly abandon: AbortController
  readonly done: Promise<void>
}

/**
 * Walks the projects of runs, several at once, until the signal aborts; then puts back what it has not finished. Errors
 * of one walk do not end the others.
 */
export async function keepSlots(dependencies: SlotDependencies, signal: AbortSignal): Promise<void> {
  const { clock, jobs, slots, watch } = dependencies
  const walks = new Map<string, Walk>()
  const askedAt = new Map<string, number>()
  let isFreed = false
  /** When it asks for work again, in milliseconds. */
  let leftUntil = 0
  let wakeUp = () => {}
  const stopTouching = keepTouching(walks, dependencies)
  const onStop = () => {
    for (const { abandon } of walks.values()) abandon.abort(stopping)
    wakeUp()
  }
  signal.addEventListener('abort', onStop)
  try {
    for (let turn = 0; !signal.aborted; turn++) {
      isFreed = false
      const isDuring = walks.size >= slots || (await fillSlots(turn))
      if (!signal.aborted) await nap(isDuring ? napMs.during : napMs.between)
    }
    await Promise.all([...walks.values()].map(({ done }) => done))
  } finally {
    signal.removeEventListener('abort', onStop)
    stopTouching()
  }

  /** Whether a run is under way. */
  async function fillSlots(turn: number): Promise<boolean> {
    if (clock.now() < leftUntil) return true
    try {
      const waiting = await waitingServices(dependencies.db)
      // Each turn begins with another service, so that none takes all slots.
      const inTurn = waiting.map((_, at) => waiting[(at + turn) % waiting.length]).filter((task) => task !== undefined)
      for (const { service, isFresh, running } of inTurn) {
        const cap = dependencies.capOf(service)
        const most = slots - walks.size
        if (cap === undefined || most <= 0 || signal.aborted) continue
        // What is read here spares questions; only the fetch counts.
        const isPromising = isFresh && running < cap
        if (!isPromising && clock.now() - (askedAt.get(service) ?? 0) < lostEveryMs) continue
        askedAt.set(service, clock.now())
        const queue = walkQueue(service)
        for (const job of await jobs.fetch<TaskKey>(queue, { most, cap })) begin(queue, job)
      }
      return waiting.length > 0
    } catch (error) {
      watch.unreachable(error)
      return false
    }
  }

  function begin(queue: string, job: Job<TaskKey>): void {
    const abandon = new AbortController()
    const walk: Walk = { queue, job, abandon, done: walkOnce(queue, job, abandon.signal) }
    walks.set(job.id, walk)
    if (signal.aborted) abandon.abort(stopping)
    void walk.done.then(() => {
      if (walks.get(job.id) === walk) walks.delete(job.id)
      isFreed = true
      wakeUp()
    })
  }

  /** Never rejects. */
  async function walkOnce(queue: string, job: Job<TaskKey>, abandon: AbortSignal): Promise<void> {
    const { service } = job.data
    watch.begun(service)
    try {
      const result = await walkTask(job, dependencies, abandon)
      // What this worker refuses, another one takes meanwhile.
      if (refusals.some((one) => one === result)) leftUntil = clock.now() + leaveForMs
      watch.ended(service, result)
    } catch (error) {
      watch.failed(service, error)
      // Where this fails too, the job comes back when its heartbeat is missed.
      await jobs.fail(queue, job).catch(() => {})
    }
  }

  async function nap(ms: number): Promise<void> {
    const rest = new AbortController()
    wakeUp = () => rest.abort()
    if (signal.aborted || isFreed) return
    await clock.sleep(ms, rest.signal).catch((error: unknown) => {
      if (!rest.signal.aborted) throw error
    })
  }
}

/** Says that walks go on, and breaks off those that were given to another worker. */
function keepTouching(walks: ReadonlyMap<string, Walk>, { jobs, every }: SlotDependencies): () => void {
  return every(touchEveryMs, () => {
    for (const [queue, group] of Map.groupBy(walks.values(), ({ queue }) => queue)) {
      void jobs
        .touch(
          queue,
          group.map(({ job }) => job),
        )
        .then((touched) => {
          for (const { job, abandon } of group) if (!touched.has(job.id)) abandon.abort(lost)
        })
        // A walk that cannot be touched for long is lost, and its next write says so.
        .catch(() => {})
    }
  })
}
