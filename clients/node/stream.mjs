// Print a reply while it is being written, with the official client.
// new OpenAI() reads OPENAI_BASE_URL and OPENAI_API_KEY.
import OpenAI from "openai";

const client = new OpenAI();

const stream = await client.chat.completions.create({
  model: "tokenlap",
  messages: [{ role: "user", content: "What is a token?" }],
  stream: true,
});
for await (const chunk of stream) {
  process.stdout.write(chunk.choices[0]?.delta?.content ?? "");
}
process.stdout.write("\n");
