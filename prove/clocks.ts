import { parseArgs } from 'node:util'
import { longestNapMs, mostCounted, smallStepMs } from '../src/app/worker/schedule-planner.ts'
import { createRandom, type Random } from '../src/demo/random.ts'
import { formats } from '../src/report/formats.ts'
import { openAuditHarness } from '../test/audit/audit-harness.ts'
import { command } from '../test/cli/run-in-process.ts'
import { startRandomFleet } from '../test/oracle/random-fleet.ts'
import { expectedTicks, type QuarterPattern, takeTicks } from '../test/worker/expected-ticks.ts'
import { aSchedule, day, hour, iso, minute, work } from '../test/worker/worker-harness.ts'
import { Tally } from './conclude.ts'

/**
 * Keeps schedules of twelve time zones through a year in which clocks are set back and forth at random: no tick is missed
 * or comes twice. Audits fleets while the clock is set during and between their runs: no age and no duration is negative.
 * `node prove/clocks.ts [patterns] [seed]`: random patterns of each zone, 40 by default; `--days 365` of the year;
 * `--fleets 200`. Ends with 1 for any other outcome.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { days: { type: 'string', default: '365' }, fleets: { type: 'string', default: '200' } },
})
const [patterns = 40, seed = 1] = positionals.map(Number)
const [days, fleets] = [Number(values.days), Number(values.fleets)]

/** Zones that change their clocks by an hour, half of one and two, at midnight and by day, in north and south, and some that do not. */
const zones = [
  ...['Europe/Berlin', 'America/New_York', 'Australia/Sydney', 'America/Santiago', 'Australia/Lord_Howe', 'UTC'],
  ...['Antarctica/Troll', 'America/Havana', 'Africa/Cairo', 'Pacific/Chatham', 'Asia/Kathmandu', 'America/St_Johns'],
]
/** Of clocks: small steps, large ones, and both around what the worker takes for a small one. */
const stepsMs = [minute, 30 * minute, hour, smallStepMs - 2 * minute, smallStepMs + 2 * minute, 5 * hour, day]
const mostAhead = 4 * day

/** What is asked of a history whose runs had such clocks. */
const answers: readonly (readonly string[])[] = [
  ...Object.keys(formats).map((format) => ['report', '--format', format]),
  ...[['status'], ['runs'], ['violations'], ['trend'], ['state'], ['status', '--listings']].flatMap((words) => [
    words,
    [...words, '--format', 'json'],
  ]),
]

const tally = new Tally()

for (const zone of zones) {
  for (let index = 0; index < patterns; index++) proveAgenda(zone, index)
  await proveWorker(zone)
}
for (let index = 0; index < fleets; index++) await proveAges(index)
tally.conclude('cases')

interface Step {
  /** By the time that really passes. */
  readonly at: number
  readonly by: number
}

/** The planner, asked once a minute, takes each tick of a year once. */
function proveAgenda(zone: string, index: number): void {
  const random = createRandom(`clocks/${seed}/${zone}/${index}`)
  const pattern = patternOf(zone, random)
  const from = yearOf(random)
  const until = from + days * day
  const steps = stepsOf(random, from, until)
  const jitterMs = random.pick([0, 0, 30_000, 10 * minute])
  const portion = random.pick([0, 0.5, 0.999])
  const aheadAt = (time: number) => steps.reduce((ahead, { at, by }) => (time >= at ? ahead + by : ahead), 0)
  const got = takeTicks(pattern, { from, until, aheadAt, jitterMs, random: () => portion })
  const due = takeExpected(pattern, { from, until, aheadAt, delayMs: Math.floor(portion * jitterMs) })
  report(
    `schedule "${pattern.cron}" of ${zone}, year from ${iso(from)}, ${steps.length} steps of the clock`,
    differences(
      due,
      got.map(({ at, passed }) => `${iso(at)} and ${passed} passed`),
    ),
  )
}

/** What the planner should take, by the words of docs/how-to/run-on-a-schedule.md, from ticks that were worked out without it. */
function takeExpected(
  pattern: QuarterPattern,
  { from, until, aheadAt, delayMs }: { from: number; until: number; aheadAt(time: number): number; delayMs: number },
): readonly string[] {
  const ticks = expectedTicks(pattern, from - mostAhead - day, until + mostAhead + day)
  const taken: string[] = []
  let latest = from - 1
  let next = firstAfter(ticks, latest)
  for (let time = from; time <= until; time += minute) {
    const now = time + aheadAt(time)
    if (now < latest - smallStepMs) {
      next = firstAfter(ticks, now - longestNapMs)
      latest = now
    }
    latest = Math.max(latest, now)
    const tick = ticks[next]
    if (tick === undefined || tick + delayMs > now) continue
    const following = firstAfter(ticks, now)
    const passed = Math.min(mostCounted, Math.max(0, following - next - 1))
    taken.push(`${iso(tick)} and ${passed} passed`)
    next += passed + 1
  }
  return taken
}

/** Index of the first tick after a moment. */
function firstAfter(ticks: readonly number[], moment: number): number {
  let [low, high] = [0, ticks.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ticks[middle] ?? Number.POSITIVE_INFINITY) > moment) high = middle
    else low = middle + 1
  }
  return low
}

/** The whole worker, which sleeps by itself, has a run for each tick, or counts it as passed while its clock jumped. */
async function proveWorker(zone: string): Promise<void> {
  const random = createRandom(`clocks/${seed}/${zone}/worker`)
  const pattern = patternOf(zone, random)
  const from = yearOf(random)
  const until = from + Math.min(days, 60) * day
  const steps = stepsOf(random, from, until).map(({ at, by }) => ({ at: at + random.below(60) * 1000, by }))
  const { runs, skipped, failed } = await work({
    schedules: [aSchedule({ name: 'a', cron: pattern.cron, timezone: zone })],
    from: iso(from),
    forMs: until - from,
    steps: steps.map(({ at, by }) => ({ atMs: at - from, byMs: by })),
  })
  const ticks = expectedTicks(pattern, from - mostAhead - day, until + mostAhead + day)
  let [clock, latest, due, mayCome] = [from, from, 0, 0]
  for (const [at, by] of [...steps.map(({ at, by }) => [at, by] as const), [until, 0] as const]) {
    // To the step, and then over it.
    const before = at + clock - from
    for (const now of [before, before + by]) {
      if (now < latest - smallStepMs) {
        mayCome += firstAfter(ticks, now) - firstAfter(ticks, now - longestNapMs)
        latest = now
      }
      due += Math.max(0, firstAfter(ticks, now) - firstAfter(ticks, latest))
      latest = Math.max(latest, now)
    }
    clock += by
  }
  const passed = skipped.reduce((sum, text) => sum + Number(text.split(' ').at(-1)), 0)
  const had = runs.length + passed
  const faults = had >= due && had <= due + mayCome ? [] : [`${due} ticks, ${runs.length} runs and ${passed} passed`]
  report(`worker with "${pattern.cron}" of ${zone} from ${iso(from)}, ${steps.length} steps of the clock`, [
    ...faults,
    ...failed,
  ])
}

/** What a person and a machine read of audits whose clock is set while they run and in between. */
async function proveAges(index: number): Promise<void> {
  const name = `clocks/${seed}/fleet/${index}`
  const random = createRandom(name)
  await using world = await startRandomFleet(name, random, { projects: 1 })
  const { service, fleet, ...rest } = world
  // Before and after the day on which the answers are read.
  const startsAt = iso(Date.now() + random.pick([-400, -30, 0, 30, 400]) * day)
  await using harness = openAuditHarness({ ...rest, limits: { retries: 1 }, startsAt })
  const nextTurn = world.begin()
  let requests = 0
  service.behaviour.latencyMs = () => {
    requests += 1
    if (random.chance(0.2))
      harness.advance(random.pick([-1, -1, 1]) * random.pick([900, minute, ...stepsMs, 365 * day]))
    return 0
  }
  const faults: string[] = []
  for (let run = 1; run <= 3; run++) {
    const { waitMs, ...turn } = nextTurn()
    harness.advance(random.pick([waitMs, -waitMs]))
    const written = await harness.audit({ ...turn, url: service.url })
    faults.push(...negativeNumbers(written).map((path) => `run ${run}: ${path} is negative`))
    if (written.run.finished_at < written.run.started_at) faults.push(`run ${run} ends before it begins`)
  }
  for (const args of answers) {
    const { stdout, stderr } = await command([...args, '--history', harness.file], { cwd: harness.directory })
    const [age] =
      /(?<![\w.:/-])-\d+(?:\.\d+)? ?(?:ms|s|min|h|d|seconds?|minutes?|hours?|days?|months?)\b/.exec(stdout) ?? []
    if (age !== undefined) faults.push(`${args.join(' ')} says "${age}"`)
    if (/NaN|Invalid Date|this is a bug/.test(stdout + stderr)) faults.push(`${args.join(' ')} says ${stdout}${stderr}`)
    if (args.at(-1) === 'json') {
      faults.push(...negativeNumbers(JSON.parse(stdout)).map((path) => `${args.join(' ')}: ${path} is negative`))
    }
  }
  report(`fleet ${index}, ${requests} requests, history from ${startsAt}`, faults)
}

/** JSON Pointers of durations, ages and counts of an answer that are below zero. What the service showed is not searched. */
function negativeNumbers(value: unknown, path = ''): string[] {
  if (typeof value === 'number') return value < 0 ? [path] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    ['before', 'after', 'body', 'attributes', 'fields'].includes(name)
      ? []
      : negativeNumbers(member, `${path}/${name}`),
  )
}

function patternOf(zone: string, random: Random): QuarterPattern {
  const everyHour = Array.from({ length: 24 }, (_, hour) => hour)
  const minutes = random.pick([[0], [15], [30], [45], [0, 30], [15, 45]])
  if (random.chance(0.5)) {
    const from = random.pick([0, 0, 1, 2, 3, 22])
    const hours = everyHour.slice(from, from + random.pick([1, 1, 2, 4]))
    return { zone, minutes, hours, isRhythm: false, cron: `${minutes.join()} ${hours.join()} * * *` }
  }
  const every = random.pick([1, 2, 3, 6])
  const quarters = random.chance(0.3) ? [0, 15, 30, 45] : minutes
  const shown = quarters.length === 4 ? '*/15' : quarters.join()
  const hours = everyHour.filter((hour) => hour % every === 0)
  return { zone, minutes: quarters, hours, isRhythm: true, cron: `${shown} ${every === 1 ? '*' : `*/${every}`} * * *` }
}

function yearOf(random: Random): number {
  return Date.parse(`${random.pick([2024, 2025, 2026, 2027])}-01-01T00:00:00Z`)
}

/** About one a month, at any minute. The clock is never more than some days ahead or behind. */
function stepsOf(random: Random, from: number, until: number): readonly Step[] {
  const count = Math.ceil((until - from) / (30 * day))
  const moments = Array.from({ length: count }, () => from + random.below((until - from) / minute) * minute)
  let ahead = 0
  return moments
    .sort((a, b) => a - b)
    .flatMap((at): Step[] => {
      const by = random.pick([-1, 1]) * random.pick([minute, ...stepsMs])
      if (Math.abs(ahead + by) > mostAhead) return []
      ahead += by
      return [{ at, by }]
    })
}

/** The first place at which two lists differ. */
function differences(expected: readonly string[], got: readonly string[]): string[] {
  const at = Array.from({ length: Math.max(expected.length, got.length) }).findIndex(
    (_, at) => expected[at] !== got[at],
  )
  return at === -1 ? [] : [`tick ${at + 1} of ${expected.length} is ${got[at]}, expected ${expected[at]}`]
}

function report(about: string, faults: readonly string[]): void {
  tally.report(about, faults, 'other', `node prove/clocks.ts ${patterns} ${seed} --days ${days} --fleets ${fleets}`)
}
