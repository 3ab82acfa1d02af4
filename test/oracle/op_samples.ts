/** Writes the questions of all op samples as JSON, for op_samples.py to answer. */
import { questions, recordingOf } from '../ops/questions.ts';

console.log(JSON.stringify(questions().map((question) => ({ ...question, file: recordingOf(question.name) }))));
