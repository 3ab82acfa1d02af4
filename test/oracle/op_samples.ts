/** Writes the questions of all op samples as JSON, for op_samples.py to answer. */
import { questions, recordingOf } from '../ops/questions.ts';
import { SUBSCRIPTS, subscriptKey } from '../ops/subscripts.ts';

const subscripts = SUBSCRIPTS.map((subscript) => ({ ...subscript, text: subscript.key, key: subscriptKey(subscript) }));
const samples = questions().map((question) => ({ ...question, file: recordingOf(question.name) }));

console.log(JSON.stringify({ samples, subscripts }));
