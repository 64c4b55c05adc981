import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Answer, Order } from './lease-contender.ts'

const program = join(import.meta.dirname, 'lease-contender.ts')

/** A process that may begin runs on a history. */
export interface Contender {
  readonly pid: number
  begin(): Promise<Extract<Answer, { won: boolean }>>
  commit(): Promise<Extract<Answer, { isCommitted: boolean }>>
  /** Sends a signal; resolves when it has ended the process, or at once when it does not end one. */
  signal(name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): Promise<void>
}

/** `place`: a file, or the URL of a database. */
export async function startContender(place: string): Promise<Contender> {
  const child = fork(program, [place], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  await answerOf(child)
  const ask = async (order: Order): Promise<Answer> => {
    const answer = answerOf(child)
    child.send(order)
    return answer
  }
  return {
    pid: child.pid ?? 0,
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
  readonly isCommitted: boolean
}

/**
 * All begin at once on one history; then the winner commits, or is killed in some rounds: then the next round needs a
 * winner although its lease was never given back.
 */
export async function race(
  place: string,
  { processes, rounds, killEvery }: { processes: number; rounds: number; killEvery: number },
) {
  const contenders = await Promise.all(Array.from({ length: processes }, () => startContender(place)))
  const results: Round[] = []
  try {
    for (let round = 1; round <= rounds; round++) {
      const answers = await Promise.all(contenders.map(async (one) => ({ one, answer: await one.begin() })))
      const winners = answers.filter(({ answer }) => answer.won)
      const losers = answers.flatMap(({ answer }) => (answer.won ? [] : [answer]))
      let isCommitted = winners.length === 1
      for (const { one } of winners) {
        if (round % killEvery === 0) {
          await one.signal('SIGKILL')
          contenders[contenders.indexOf(one)] = await startContender(place)
        } else if (!(await one.commit()).isCommitted) isCommitted = false
      }
      results.push({
        winners: winners.length,
        exitCodes: losers.map(({ exitCode }) => exitCode),
        loserMs: losers.map(({ ms }) => ms),
        winnerMs: Math.max(0, ...winners.map(({ answer }) => answer.ms)),
        isCommitted,
      })
    }
    return results
  } finally {
    await Promise.all(contenders.map((one) => one.signal('SIGKILL')))
  }
}
