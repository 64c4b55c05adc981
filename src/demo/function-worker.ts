import { parentPort, workerData } from 'node:worker_threads'
import { runTransform, type Trial } from './run-transform.ts'

parentPort?.postMessage(runTransform(workerData as Trial)) // as: the only starter is test-function.ts
