import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Order } from './lease-contender.ts'

const program = join(import.meta.dirname, 'lease-contender.ts')

/** A process that may begin runs on a history. */
export interface Contender {
  readonly pid: number
  /** Sets its clock ahead. */
  advance(ms: number): void
  begin(): Promise<Extract<Answer, { won: boolean }>>
  commit(): Promise<Extract<Answer, { isCommitted: boolean }>>
  /** Sends a signal; resolves when it has ended the process, or at once when it does not end one. */
  signal(name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): Promise<void>
}

/** `place`: a file, or the URL of a database. `usesLocalClock`: its clock counts also where a server has one. */
export async function startContender(place: string, { usesLocalClock = false } = {}): Promise<Contender> {
  const args = usesLocalClock ? [place, 'own'] : [place]
  const child = fork(program, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  await answerOf(child)
  const ask = async (order: Order): Promise<Answer> => {
    const answer = answerOf(child)
    child.send(order)
    return answer
  }
  return {
    pid: child.pid ?? 0,
    advance: (ms) => void child.send(ms satisfies Order),
    async begin() {
      const answer = await ask('begin')
      if ('won' in answer) return answer
      throw new Error(`asked to begin, it said ${JSON.stringify(answer)}`)
    },
    async commit() {
      const answer = await ask('commit')
      if ('isCommitted' in answer) return answer
      throw new Error(`asked to commit, it said ${JSON.stringify(answer)}`)
    },
    async signal(name) {
      const ended = once(child, 'exit')
      child.kill(name)
      if (name === 'SIGKILL') await ended
    },
  }
}

async function answerOf(child: ChildProcess): Promise<Answer> {
  const [answer] = await once(child, 'message')
  return answer
}

export interface Round {
  readonly winners: number
  /** How each loser ended: 5 for "another run writes". */
  readonly exitCodes: readonly (number | null)[]
  /** How long each loser took to hear of it. */
  readonly loserMs: readonly number[]
  readonly winnerMs: number
  /** Whether the winner's commit was answered with success. */
  readonly isCommitted: boolean
  /** What ended the winner. */
  readonly fate: Fate
  /** The run and the process, `7 of 4711`, of the winner. */
  readonly winner: string | undefined
  /** Where the owner was paused: whether the woken one committed. It must have failed. */
  readonly hasPausedCommitted?: boolean
}

/** What ends a winner before its commit. A paused one wakes when another one has begun. */
type Fate = 'commits' | 'is killed' | 'is paused'

interface RaceOptions {
  readonly processes: number
  readonly rounds: number
  readonly killEvery: number
  /** Rounds in which the winner is paused beyond its lease. Default: none. */
  readonly pauseEvery?: number
  /** The clocks of all are set ahead by this while one is paused, which must be longer than a lease lives. */
  readonly pauseMs?: number
}

/**
 * All begin at once on one history; then the winner commits, or is killed in some rounds: then the next round needs a
 * winner although its lease was never given back. In others it is paused: the rest begin once its lease is over, one of
 * them wins, the paused one wakes and commits, which must fail, and then the new owner commits.
 */
export async function race(
  place: string,
  { processes, rounds, killEvery, pauseEvery = Number.POSITIVE_INFINITY, pauseMs = 60_000 }: RaceOptions,
): Promise<readonly Round[]> {
  let aheadMs = 0
  const start = async () => {
    const one = await startContender(place, { usesLocalClock: Number.isFinite(pauseEvery) })
    one.advance(aheadMs)
    return one
  }
  const contenders = await Promise.all(Array.from({ length: processes }, start))
  const results: Round[] = []
  try {
    for (let round = 1; round <= rounds; round++) {
      const fate =
        round % killEvery === 0 && round < rounds ? 'is killed' : round % pauseEvery === 0 ? 'is paused' : 'commits'
      const begun = await beginAll(contenders)
      const paused = fate === 'is paused' ? begun.winners[0]?.one : undefined
      if (paused === undefined) {
        results.push(await endRound(begun, fate))
      } else {
        await paused.signal('SIGSTOP')
        aheadMs += pauseMs
        const others = contenders.filter((one) => one !== paused)
        for (const one of others) one.advance(pauseMs)
        const after = await beginAll(others)
        await paused.signal('SIGCONT')
        // By its clock no time has passed, as for one that is paused between a check of its lease and a write.
        const { isCommitted: hasPausedCommitted } = await paused.commit()
        paused.advance(pauseMs)
        results.push(await endRound(begun, fate), { ...(await endRound(after, 'commits')), hasPausedCommitted })
      }
      if (fate !== 'is killed') continue
      for (const { one } of begun.winners) {
        await one.signal('SIGKILL')
        contenders[contenders.indexOf(one)] = await start()
      }
    }
    return results
  } finally {
    await Promise.all(contenders.map((one) => one.signal('SIGKILL')))
  }
}

export interface Pause {
  readonly hasOtherBegunEarly: boolean
  readonly hasOtherBegunLate: boolean
  readonly hasPausedCommitted: boolean
  readonly hasOtherCommitted: boolean
}

/** An owner is paused for a time that really passes, beyond its lease, and wakes when another one has begun. */
export async function pauseOwner(place: string, pauseMs: number): Promise<Pause> {
  const [paused, other] = [await startContender(place), await startContender(place)]
  try {
    await paused.begin()
    await paused.signal('SIGSTOP')
    const early = await other.begin()
    await sleep(pauseMs)
    const late = await other.begin()
    await paused.signal('SIGCONT')
    const woken = await paused.commit()
    const committed = await other.commit()
    return {
      hasOtherBegunEarly: early.won,
      hasOtherBegunLate: late.won,
      hasPausedCommitted: woken.isCommitted,
      hasOtherCommitted: committed.isCommitted,
    }
  } finally {
    for (const one of [paused, other]) await one.signal('SIGKILL')
  }
}

async function beginAll(contenders: readonly Contender[]) {
  const answers = await Promise.all(contenders.map(async (one) => ({ one, answer: await one.begin() })))
  return {
    winners: answers.flatMap(({ one, answer }) => (answer.won ? [{ one, answer }] : [])),
    losers: answers.flatMap(({ answer }) => (answer.won ? [] : [answer])),
  }
}

async function endRound({ winners, losers }: Awaited<ReturnType<typeof beginAll>>, fate: Fate) {
  let isCommitted = winners.length === 1
  if (fate === 'commits') {
    for (const { one } of winners) isCommitted = (await one.commit()).isCommitted && isCommitted
  }
  const [first] = winners
  return {
    winners: winners.length,
    exitCodes: losers.map(({ exitCode }) => exitCode),
    loserMs: losers.map(({ ms }) => ms),
    winnerMs: Math.max(0, ...winners.map(({ answer }) => answer.ms)),
    isCommitted,
    fate,
    winner: first && `${first.answer.run} of ${first.one.pid}`,
  }
}
